// One column of the board. One with nothing in it makes room for the others.
import { memo, useState } from 'react'
import type { SessionCard } from '../../../../src/contract/dashboard/cards.ts'
import type { BoardColumn } from '../../../../src/contract/dashboard/columns.ts'
import { COLUMN_LOOKS } from '../../session/words.ts'
import { TONE_TEXT } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { BoardCard } from './board-card.tsx'

interface Props {
  column: BoardColumn
  cards: readonly SessionCard[]
  /** The one that a phone shows. */
  isTab: boolean
  filtering: boolean
}

/** Ended sessions gather; the newest are what one looks for. */
const FIRST_SHOWN = 40

export const Column = memo(function Column({ column, cards, isTab, filtering }: Props) {
  const { word, tone, icon, empty } = COLUMN_LOOKS[column]
  const [all, setAll] = useState(false)
  const shown = all ? cards : cards.slice(0, FIRST_SHOWN)
  const isNarrow = cards.length === 0 && column !== 'needs_you'
  return (
    <section
      aria-label={`${word}, ${cards.length}`}
      data-column={column}
      className={`min-h-0 flex-col md:flex md:snap-start ${isTab ? 'flex' : 'max-md:hidden'} ${isNarrow ? 'md:w-40 md:shrink-0' : 'md:min-w-56 md:flex-1'}`}
    >
      <h2 className="mb-2 flex h-7 items-center gap-2 px-1 text-sm font-semibold max-md:sr-only">
        <Icon name={icon} className={`size-3.5 ${TONE_TEXT[tone]}`} />
        <span className="truncate">{word}</span>
        <span className="rounded-full bg-sunken px-1.5 text-xs font-medium text-muted">{cards.length}</span>
      </h2>
      <div className="-m-1 flex min-h-0 flex-1 flex-col gap-2 p-1 pb-4 md:overflow-y-auto">
        {cards.length === 0 && (
          <p className="rounded-lg border border-dashed border-line-strong px-3 py-4 text-center text-xs text-faint">
            {filtering ? 'None matches.' : empty}
          </p>
        )}
        {shown.map((card) => (
          <BoardCard key={card.id} card={card} />
        ))}
        {shown.length < cards.length && (
          <Button variant="ghost" size="sm" onClick={() => setAll(true)}>
            Show {cards.length - shown.length} more
          </Button>
        )}
      </div>
    </section>
  )
})
