// The frame of every page: one heading, its actions, and the content that scrolls.

import { type ReactNode, useEffect } from 'react'
import { visibleLine } from '../../../src/core/text/visible-text.ts'
import { Visible } from '../ui/text/visible.tsx'
import { setPageTitle } from './tab-title.ts'

/** As a subtitle that is on its way: its line is kept for it. */
export const NO_LINE_YET = '\u00a0'

interface Props {
  title: string
  /** Under the title, one line. */
  subtitle?: ReactNode
  actions?: ReactNode
  /** Before the title: the way back. */
  above?: ReactNode
  /** The head in as few lines as possible: the content is what counts. */
  isDense?: boolean
  children: ReactNode
}

export function Page({ title, subtitle, actions, above, isDense = false, children }: Props) {
  useEffect(() => setPageTitle(title), [title])
  useFocusOnArrival()
  return (
    <main id="content" tabIndex={-1} className="flex min-h-0 min-w-0 flex-1 flex-col outline-none">
      <header
        className={`flex flex-wrap items-start gap-x-4 px-4 sm:px-6 ${isDense ? 'gap-y-1 pt-2 pb-1' : 'gap-y-2 pt-4 pb-3 sm:pt-5'}`}
      >
        <div className={`min-w-0 flex-1 basis-52 ${isDense ? 'flex items-baseline gap-2' : ''}`}>
          {above}
          <h1
            title={isDense ? visibleLine(title) : undefined}
            className={`font-semibold tracking-tight ${isDense ? 'min-w-0 truncate text-lg' : 'text-xl'}`}
          >
            <Visible text={title} />
          </h1>
          {subtitle && !isDense && <div className="text-sm text-muted">{subtitle}</div>}
        </div>
        {actions && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
        {subtitle && isDense && <div className="w-full text-sm text-muted">{subtitle}</div>}
      </header>
      <div className={`flex min-h-0 flex-1 flex-col px-4 sm:px-6 ${isDense ? 'pb-2' : 'pb-6'}`}>{children}</div>
    </main>
  )
}

/** The page that was opened first keeps the browser's own scroll position. */
let arrived = false

/** After following a link the person is at the top of the page, including keyboard and screen reader. */
function useFocusOnArrival(): void {
  useEffect(() => {
    if (arrived && !document.querySelector('dialog[open]')) document.getElementById('content')?.focus()
    arrived = true
  }, [])
}
