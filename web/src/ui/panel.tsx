// A titled part of a page with its own background.
import { type ReactNode, useId } from 'react'

interface Props {
  /** Its name in an address, after `#`. */
  anchor?: string
  title?: string
  actions?: ReactNode
  children: ReactNode
  className?: string
}

export function Panel({ anchor, title, actions, children, className = '' }: Props) {
  const id = useId()
  return (
    <section
      id={anchor}
      ref={anchor === undefined ? undefined : showWhenNamed}
      aria-labelledby={title ? id : undefined}
      className={`min-w-0 rounded-lg border bg-surface shadow-card ${className}`}
    >
      {title && (
        <div className="flex min-h-10 flex-wrap items-center gap-2 border-b px-4 py-1.5">
          <h2 id={id} className="flex-auto text-sm font-semibold">
            {title}
          </h2>
          {actions}
        </div>
      )}
      {children}
    </section>
  )
}

/** The page was opened for this part of it. */
function showWhenNamed(section: HTMLElement | null): void {
  if (section && location.hash === `#${section.id}`) section.scrollIntoView()
}
