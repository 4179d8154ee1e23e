// The queue: one ranked list of everything that waits for the person, and beside it the open item with its buttons; on a narrow
// screen the items themselves. Items that are dealt with leave it.
import { useEffect, useRef, useState } from 'react'
import type { SessionCard } from '../../../../src/contract/dashboard/cards.ts'
import { nextItem, type QueueItem } from '../../../../src/core/queue/rank-queue.ts'
import { useBoard } from '../../api/live.ts'
import { Page } from '../../shell/page.tsx'
import { Guarded } from '../../steady/guarded.tsx'
import type { Entry, Held } from '../../steady/steady-list.ts'
import { useHeld, useSteadyList } from '../../steady/use-steady-list.ts'
import { LinkButton } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Skeleton } from '../../ui/spinner.tsx'
import { Kbd } from '../../ui/text/kbd.tsx'
import { useMedia } from '../../ui/use-media.ts'
import { BoardCard } from '../board/board-card.tsx'
import { focusCard, useBoardKeys } from '../board/use-board-keys.ts'
import { FoldedCard } from './folded-card.tsx'
import { takeCameFrom } from './next-need.ts'
import { QueueRow } from './queue-row.tsx'
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
      {board ? <Rows rows={rows} /> : <Skeleton label="Reading the sessions" />}
    </Page>
  )
}

function rowsOf(queue: readonly QueueItem[], cards: ReadonlyMap<string, SessionCard>): Row[] {
  return queue.map((item) => ({ item, cards: item.sessions.flatMap((id) => cards.get(id) ?? []) }))
}

function Rows({ rows }: { rows: readonly Row[] }) {
  const list = useRef<HTMLDivElement>(null)
  const shown = useSteadyList(rows, { keyOf, held: useHeld(list) })
  const isWide = useMedia('(min-width: 1024px)')
  const pane = useRef<HTMLDivElement>(null)
  const { open, isChosen, choose } = useOpenItem(shown, useHeld(pane))
  useArrival(rows)
  const isSplit = isWide && shown.length > 0
  return (
    <Guarded className="flex min-h-0 flex-1 gap-4">
      <div
        ref={list}
        data-column="queue"
        className={`flex min-h-0 w-full flex-col pb-4 ${isSplit ? '-m-1 max-w-[min(36rem,46%)] shrink-0 gap-1 overflow-y-auto p-1' : 'max-w-3xl gap-2'}`}
      >
        <h2 className="sr-only">Waiting for you</h2>
        {shown.length === 0 && (
          <EmptyState icon="check" title="Nobody waits for you">
            Permissions, questions, errors, finished work, reviews and merges come here.
          </EmptyState>
        )}
        {shown.map((entry) =>
          isSplit ? (
            <QueueRow
              key={entry.key}
              {...entry.item}
              isGone={entry.goneAt !== null}
              isOpen={entry.key === open?.key}
              onOpen={() => choose(entry.key)}
            />
          ) : (
            <WholeItem key={entry.key} entry={entry} />
          ),
        )}
      </div>
      <div
        ref={pane}
        data-column="open"
        data-chosen={isChosen || undefined}
        hidden={!isSplit}
        className="-m-1 min-h-0 min-w-0 max-w-4xl flex-1 overflow-y-auto p-1 pb-4"
      >
        {isSplit && open && <WholeItem key={open.key} entry={open} />}
        {isSplit && open?.item.cards.length === 1 && <Ways id={open.item.cards[0]!.id} />}
        {isSplit && !open && (
          <p className="p-4 text-sm text-muted">It is dealt with. Choose the next one in the list.</p>
        )}
      </div>
    </Guarded>
  )
}

function WholeItem({ entry: { item: row, goneAt } }: { entry: Entry<Row> }) {
  const { item, cards } = row
  if (cards.length > 1) return <FoldedCard item={item} cards={cards} isGone={goneAt !== null} />
  return cards[0] && <BoardCard card={cards[0]} isGone={goneAt !== null} />
}

const PARTS = [
  { tab: 'live', word: 'Terminal or conversation', icon: 'terminal' },
  { tab: 'changes', word: 'Changes', icon: 'diff' },
  { tab: 'timeline', word: 'Timeline', icon: 'list' },
] as const

/** To what one wants to see before one decides. */
function Ways({ id }: { id: string }) {
  return (
    <nav aria-label={`More of ${id}`} className="mt-2 flex flex-wrap gap-1">
      {PARTS.map(({ tab, word, icon }) => (
        <LinkButton key={tab} size="sm" variant="ghost" icon={icon} href={`/sessions/${id}?tab=${tab}`}>
          {word}
        </LinkButton>
      ))}
    </nav>
  )
}

/**
 * The one beside the list: at first the most urgent, then what the person chose. An item that was dealt with is followed by the first of the
 * list only while nobody points there: its buttons would appear under the pointer.
 */
function useOpenItem(shown: readonly Entry<Row>[], held: Held) {
  const [chosen, setChosen] = useState<{ key: string; byPerson: boolean } | null>(null)
  const open = shown.find(({ key }) => key === chosen?.key)
  const first = shown.find(({ goneAt }) => goneAt === null)?.key ?? null
  const isFree = open === undefined && (chosen === null || held === null)
  useEffect(() => {
    if (isFree && first !== null) setChosen({ key: first, byPerson: false })
  }, [isFree, first])
  return { open, isChosen: chosen?.byPerson === true, choose: (key: string) => setChosen({ key, byPerson: true }) }
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
