// One column of the board. Its width does not depend on its content: nothing moves sideways under the pointer.
import { memo, useEffect, useRef, useState } from 'react'
import type { SessionCard } from '../../../../src/contract/dashboard/cards.ts'
import type { BoardColumn } from '../../../../src/contract/dashboard/columns.ts'
import { COLUMN_LOOKS } from '../../session/labels.ts'
import type { Entry, Held } from '../../steady/steady-list.ts'
import { useHeld } from '../../steady/use-steady-list.ts'
import { TONE_TEXT } from '../../ui/badge.tsx'
import { Icon } from '../../ui/icon.tsx'
import { BoardCard } from './board-card.tsx'
import { MoreButton } from './more-button.tsx'
import type { MoreEnded } from './use-ended.ts'

interface Props {
  column: BoardColumn
  /** How many belong here now. */
  count: number
  entries: readonly Entry<SessionCard>[]
  /** The one that a phone shows. */
  isTab: boolean
  filtering: boolean
  /** Loads those that are not here yet; null: all of them are. */
  more: MoreEnded | null
  onHeld: (column: BoardColumn, by: Held) => void
}

const WIDTHS: Readonly<Record<BoardColumn, string>> = {
  needs_you: 'md:min-w-56 md:flex-[1.6]',
  ready_to_merge: 'md:min-w-36 md:flex-1',
  in_review: 'md:min-w-36 md:flex-1',
  working: 'md:min-w-36 md:flex-1',
  done: 'md:min-w-32 md:flex-[0.9]',
}

/** Ended sessions accumulate; the newest are the interesting ones. */
const FIRST_SHOWN = 40

export const Column = memo(function Column({ column, count, entries, isTab, filtering, more, onHeld }: Props) {
  const { word, tone, icon, empty } = COLUMN_LOOKS[column]
  const [all, setAll] = useState(false)
  const list = useRef<HTMLDivElement>(null)
  const held = useHeld(list)
  useEffect(() => onHeld(column, held), [column, held, onHeld])
  const shown = all ? entries : entries.slice(0, FIRST_SHOWN)
  return (
    <section
      aria-label={`${word}, ${count}`}
      data-column={column}
      className={`min-h-0 flex-col md:flex md:snap-start ${isTab ? 'flex' : 'max-md:hidden'} ${WIDTHS[column]}`}
    >
      <h2 className="mb-2 flex h-7 items-center gap-2 px-1 text-sm font-semibold max-lg:gap-1 max-lg:px-0 max-lg:text-xs max-md:sr-only">
        <Icon name={icon} className={`size-3.5 max-xl:hidden ${TONE_TEXT[tone]}`} />
        <span className="truncate">{word}</span>
        <span className="rounded-full bg-sunken px-1.5 text-xs font-medium text-muted">{count}</span>
      </h2>
      <div ref={list} className="-mx-1 -mt-1 flex min-h-0 flex-1 flex-col gap-2 p-1 pb-4 md:overflow-y-auto">
        {shown.length === 0 && count === 0 && (
          <p className="rounded-lg border border-dashed border-line-strong px-3 py-4 text-center text-xs text-faint">
            {filtering ? 'None matches.' : empty}
          </p>
        )}
        {shown.map(({ key, item, goneAt }) => (
          <BoardCard key={key} card={item} isGone={goneAt !== null} />
        ))}
        {(shown.length < entries.length || more !== null) && (
          <MoreButton
            left={Math.max(count, entries.length) - shown.length}
            more={more}
            onMore={() => {
              if (shown.length < entries.length) setAll(true)
              else more?.load()
            }}
          />
        )}
      </div>
    </section>
  )
})
