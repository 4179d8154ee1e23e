// The sessions that match the filter, in columns or as a table.
import { lazy, Suspense, useMemo, useState } from 'react'
import { useLocation } from 'wouter'
import type { SessionCard } from '../../../../src/contract/dashboard/cards.ts'
import { BOARD_COLUMNS, type BoardColumn } from '../../../../src/contract/dashboard/columns.ts'
import type { BoardState } from '../../api/board-store.ts'
import { loadPart } from '../../api/load-part.ts'
import { COLUMN_LOOKS } from '../../session/labels.ts'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Skeleton, Spinner } from '../../ui/spinner.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { type BoardFilter, isFiltering, matches } from './board-filter.ts'
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
    const cards = filtered(board.columns[column], filter)
    return { column, cards, count: column === 'done' ? ended.count(cards.length) : cards.length }
  })
  const isEmpty = shown.every(({ count }) => count === 0)
  // On a phone one column is shown; by default the one with something to do.
  const selected = tab ?? shown.find(({ cards }) => cards.length > 0)?.column ?? 'needs_you'
  return (
    <>
      <FilterBar board={board} filter={filter} onChange={onFilter} />
      {isEmpty && ended.isPending && <Spinner label="Searching the ended sessions" className="mx-auto my-12" />}
      {isEmpty && !ended.isPending && (
        <EmptyState
          icon="search"
          title="No session matches"
          action={<Button onClick={() => onFilter({ project: '', agent: '', text: '' })}>Clear the filter</Button>}
        />
      )}
      {!isEmpty && isTable && (
        <Suspense fallback={<Skeleton label="Opening the table" />}>
          <SessionTable
            cards={shown.flatMap(({ cards }) => cards)}
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
            choice={`${filter.project}\n${filter.agent}\n${filter.text}`}
          />
        </>
      )}
    </>
  )
}

function filtered(cards: readonly SessionCard[], filter: BoardFilter): readonly SessionCard[] {
  return isFiltering(filter) ? cards.filter((card) => matches(card, filter)) : cards
}
