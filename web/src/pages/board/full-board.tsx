// The sessions that match the filter, in columns or as a table.
import { lazy, Suspense, useMemo, useState } from 'react'
import { useLocation } from 'wouter'
import type { SessionCard } from '../../../../src/contract/dashboard/cards.ts'
import { BOARD_COLUMNS, type BoardColumn } from '../../../../src/contract/dashboard/columns.ts'
import type { Pin } from '../../../../src/contract/dashboard/search.ts'
import type { BoardState } from '../../api/board-store.ts'
import { loadPart } from '../../api/load-part.ts'
import { COLUMN_LOOKS } from '../../session/labels.ts'
import { pinnedFirst } from '../../session/pins.tsx'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Skeleton, Spinner } from '../../ui/spinner.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { SessionLink } from '../../ui/text/session-link.tsx'
import { ALL_PINNED, type BoardFilter, isFiltering, matches, NO_FILTER } from './board-filter.ts'
import { Columns } from './columns.tsx'
import { FilterBar } from './filter-bar.tsx'
import { readSort, writeSort } from './table/sort-cards.ts'
import { useEnded } from './use-ended.ts'

const SessionTable = lazy(async () => ({
  default: (await loadPart(() => import('./table/session-table.tsx'))).SessionTable,
}))

interface Props {
  board: BoardState
  filter: BoardFilter
  search: string
  onFilter: (filter: BoardFilter) => void
}

export function FullBoard({ board, filter, search, onFilter }: Props) {
  const [, navigate] = useLocation()
  const sort = useMemo(() => readSort(search), [search])
  const isTable = new URLSearchParams(search).get('view') === 'table'
  const [tab, setTab] = useState<BoardColumn | null>(null)
  const ended = useEnded(board, filter)
  const shown = BOARD_COLUMNS.map((column) => {
    // What waits for a person stays in the order of the queue.
    const inColumn = filtered(board.columns[column], filter, board.pins)
    const cards = column === 'needs_you' ? inColumn : pinnedFirst(inColumn, board.pins, ({ id }) => id)
    return { column, cards, count: column === 'done' ? ended.count(cards.length) : cards.length }
  })
  const isEmpty = shown.every(({ count }) => count === 0)
  // On a phone one column is shown; by default the one with something to do.
  const selected = tab ?? shown.find(({ cards }) => cards.length > 0)?.column ?? 'needs_you'
  return (
    <>
      <FilterBar board={board} filter={filter} onChange={onFilter} />
      <PinnedElsewhere board={board} filter={filter} />
      {isEmpty && ended.isPending && <Spinner label="Searching the ended sessions" className="mx-auto my-12" />}
      {isEmpty && !ended.isPending && (
        <EmptyState
          icon="search"
          title="No session matches"
          action={<Button onClick={() => onFilter(NO_FILTER)}>Clear the filter</Button>}
        />
      )}
      {!isEmpty && isTable && (
        <Suspense fallback={<Skeleton label="Opening the table" />}>
          <SessionTable
            cards={shown.flatMap(({ cards }) => cards)}
            pins={board.pins}
            sort={sort}
            onSort={(next) => navigate(`/${writeSort(search, next)}`, { replace: true })}
            choice={search}
            more={ended.more}
            left={ended.count(0) - (shown.at(-1)?.cards.length ?? 0)}
          />
        </Suspense>
      )}
      {!isEmpty && !isTable && (
        <>
          <div className="-mx-4 mb-3 px-2 md:hidden">
            <Tabs
              label="Columns"
              name="board"
              selected={selected}
              onSelect={(id) => setTab(id as BoardColumn)}
              tabs={shown.map(({ column, count }) => ({ id: column, label: COLUMN_LOOKS[column].word, count }))}
            />
          </div>
          <Columns
            columns={shown}
            more={ended.more}
            selected={selected}
            filtering={isFiltering(filter)}
            choice={Object.values(filter).join('\n')}
          />
        </>
      )}
    </>
  )
}

/** The board has only the newest of the ended sessions, and none that is archived. */
function PinnedElsewhere({ board, filter: { pinned } }: Pick<Props, 'board' | 'filter'>) {
  if (pinned === '') return null
  const isMeant = ({ session, folder }: Pin) =>
    !board.cards.has(session) && (pinned === ALL_PINNED || folder === pinned)
  const elsewhere = board.pins.filter(isMeant)
  if (elsewhere.length === 0) return null
  return (
    <p className="mb-3 flex flex-wrap gap-x-2 text-sm text-muted">
      Also pinned, and ended:
      {elsewhere.map(({ session }) => (
        <SessionLink key={session} id={session} />
      ))}
    </p>
  )
}

function filtered(cards: readonly SessionCard[], filter: BoardFilter, pins: readonly Pin[]): readonly SessionCard[] {
  return isFiltering(filter) ? cards.filter((card) => matches(card, filter, pins)) : cards
}
