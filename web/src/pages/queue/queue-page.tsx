// The queue: one ranked list of everything that waits for the person. What is dealt with leaves it; the next is below.
import { useEffect, useRef } from 'react'
import type { SessionCard } from '../../../../src/contract/dashboard/cards.ts'
import { nextItem, type QueueItem } from '../../../../src/core/queue/rank-queue.ts'
import { useBoard } from '../../api/live.ts'
import { Page } from '../../shell/page.tsx'
import { Guarded } from '../../steady/guarded.tsx'
import { useHeld, useSteadyList } from '../../steady/use-steady-list.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { Kbd } from '../../ui/text/kbd.tsx'
import { BoardCard } from '../board/board-card.tsx'
import { focusCard, useBoardKeys } from '../board/use-board-keys.ts'
import { FoldedCard } from './folded-card.tsx'
import { takeCameFrom } from './next-need.ts'
import { useQueue } from './use-queue.ts'

interface Row {
  item: QueueItem
  cards: SessionCard[]
}

export function QueuePage() {
  const board = useBoard()
  const queue = useQueue()
  useBoardKeys()
  const rows = board ? rowsOf(queue, board.cards) : []
  return (
    <Page
      title="Queue"
      subtitle={
        board && (
          <>
            {rows.length === 0 ? 'Nobody waits for you' : `${rows.length} to deal with, the most urgent first`}
            <span className="max-md:hidden">
              {' · '}
              <Kbd>e</Kbd> on any page brings you to the next
            </span>
          </>
        )
      }
    >
      {board ? <Rows rows={rows} /> : <Spinner label="Reading the sessions" />}
    </Page>
  )
}

function rowsOf(queue: readonly QueueItem[], cards: ReadonlyMap<string, SessionCard>): Row[] {
  return queue.map((item) => ({ item, cards: item.sessions.flatMap((id) => cards.get(id) ?? []) }))
}

function Rows({ rows }: { rows: readonly Row[] }) {
  const list = useRef<HTMLDivElement>(null)
  const shown = useSteadyList(rows, { keyOf, held: useHeld(list) })
  useArrival(rows)
  return (
    <Guarded className="flex min-h-0 flex-1">
      <div ref={list} data-column="queue" data-scrolls className="flex min-h-0 w-full max-w-3xl flex-col gap-2 pb-4">
        {shown.length === 0 && (
          <EmptyState icon="check" title="Nobody waits for you">
            Permissions, questions, errors, finished work, reviews and merges come here.
          </EmptyState>
        )}
        {shown.map(({ key, item: { item, cards }, goneAt }) =>
          cards.length > 1 ? (
            <FoldedCard key={key} item={item} cards={cards} isGone={goneAt !== null} />
          ) : (
            cards[0] && <BoardCard key={key} card={cards[0]} isGone={goneAt !== null} />
          ),
        )}
      </div>
    </Guarded>
  )
}

function keyOf({ item }: Row): string {
  return item.key
}

/** Coming from a session by key, the focus is on the one after it. */
function useArrival(rows: readonly Row[]): void {
  const first = useRef(rows)
  useEffect(() => {
    const next = nextItem(
      first.current.map(({ item }) => item),
      takeCameFrom(),
    )
    if (!next) return
    // After the page itself has taken the focus.
    requestAnimationFrame(() =>
      focusCard(document.querySelector<HTMLElement>(`[data-card="${next.sessions[0]}"]`) ?? undefined),
    )
  }, [])
}
