// The columns of the board. They hold still together: a card that moves is drawn in one of them only.
import { useCallback, useState } from 'react'
import type { SessionCard } from '../../../../src/contract/dashboard/cards.ts'
import type { BoardColumn } from '../../../../src/contract/dashboard/columns.ts'
import { Guarded } from '../../steady/guarded.tsx'
import type { Held } from '../../steady/steady-list.ts'
import { useSteadyLists } from '../../steady/use-steady-list.ts'
import { Column } from './column.tsx'
import type { MoreEnded } from './use-ended.ts'

interface Props {
  columns: ReadonlyArray<{ column: BoardColumn; cards: readonly SessionCard[]; count: number }>
  /** Ended sessions that are not here yet. */
  more: MoreEnded | null
  /** The one that a phone shows. */
  selected: BoardColumn
  filtering: boolean
  /** Project, agent and words, as one text. */
  choice: string
}

export function Columns({ columns, more, selected, filtering, choice }: Props) {
  const [held, setHeld] = useState<Partial<Record<BoardColumn, Held>>>({})
  const onHeld = useCallback((column: BoardColumn, by: Held) => setHeld((all) => ({ ...all, [column]: by })), [])
  const lists = columns.map(({ column, cards }) => ({ id: column, items: cards, held: held[column] ?? null }))
  const shown = useSteadyLists(lists, { keyOf, choice })
  return (
    <Guarded
      id="board-panel"
      className="flex min-h-0 flex-1 gap-3 max-md:flex-col md:overflow-x-auto md:-mx-6 md:snap-x md:scroll-px-6 md:px-6"
    >
      {columns.map(({ column, count }) => (
        <Column
          key={column}
          column={column}
          count={count}
          more={column === 'done' ? more : null}
          entries={shown.get(column) ?? []}
          isTab={column === selected}
          filtering={filtering}
          onHeld={onHeld}
        />
      ))}
    </Guarded>
  )
}

function keyOf({ id }: SessionCard): string {
  return id
}
