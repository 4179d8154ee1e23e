// Ended sessions for the page, one page of cards at a time: only those cards are read.
import type { EndedAnswer, SessionCard } from '../../contract/dashboard/cards.ts'
import { AoError } from '../../contract/errors.ts'
import type { Session } from '../../contract/session.ts'
import {
  type EndedPosition,
  endedPosition,
  FIRST_ENDED,
  pageOfEnded,
  parsePosition,
} from '../../core/board/ended-pages.ts'
import { describeCard, describeStored, matchesFilter, type SessionFilter } from '../../core/board/match-search.ts'
import { readCount } from '../../http/route-table.ts'
import { showSessions } from '../../manager/observe/enrich.ts'
import { toCards } from '../board/read-cards.ts'
import type { DashboardContext } from '../server/context.ts'
import { createHistoryMemory } from '../system/history-facts.ts'

const MOST = 200

export const ENDED_QUERY = {
  after: 'Where the page begins: `next` of the page before it',
  limit: `How many at most: ${FIRST_ENDED} unless given, ${MOST} at most`,
  project: 'Only those of this project',
  agent: 'Only those of this agent',
  q: 'Only those with all of these words in id, title, branch, issue, pull request or status',
}

type Item = EndedPosition & ({ card: SessionCard } | { stored: Session })

export async function readEnded(context: DashboardContext, query: URLSearchParams): Promise<EndedAnswer> {
  const cursor = query.get('after')
  const after = cursor === null ? null : parsePosition(cursor)
  if (cursor !== null && after === null) throw new AoError('USAGE', 'after must be the `next` of another page')
  const limit = Math.max(1, Math.min(MOST, readCount(query, 'limit', FIRST_ENDED)))
  const text = (name: string) => query.get(name) ?? ''
  await context.board.fresh()
  // Taken before anything is read: what changes meanwhile comes over the stream, and wins.
  const position = context.board.position()
  const found = findItems(context, { project: text('project'), agent: text('agent'), text: text('q') })
  const { items, next } = pageOfEnded(found, after, limit)
  return { sessions: await cardsOf(context, items), total: found.length, next, ...position }
}

function findItems({ board }: DashboardContext, filter: SessionFilter): Item[] {
  const shown = board.read().sessions.filter(({ column }) => column === 'done')
  return [
    ...shown
      .filter((card) => matchesFilter(filter, () => describeCard(card)))
      .map((card) => ({ id: card.id, since: card.statusSince, card })),
    ...board
      .older()
      .filter((stored) => matchesFilter(filter, () => describeStored(stored)))
      .map((stored) => ({ ...endedPosition(stored), stored })),
  ]
}

async function cardsOf(context: DashboardContext, items: readonly Item[]): Promise<SessionCard[]> {
  const stored = items.flatMap((item) => ('stored' in item ? [item.stored] : []))
  const reading = { context, histories: createHistoryMemory(), before: () => undefined }
  const read = await toCards(reading, await showSessions(context, stored))
  const made = new Map(read.map(({ card }) => [card.id, card]))
  return items.map((item) => ('card' in item ? item.card : made.get(item.id)!))
}
