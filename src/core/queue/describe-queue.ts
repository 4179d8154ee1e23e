// The queue with the titles of its sessions, as the API and `ao next --json` give it.
import type { QueueAnswer, SessionCard } from '../../contract/dashboard/cards.ts'
import type { NeedKind } from '../../contract/dashboard/needs.ts'
import { rankQueue } from './rank-queue.ts'

/** After the name of a session: what it needs somebody for. */
export const NEED_WORDS: Readonly<Record<NeedKind, string>> = {
  permission: 'asks for permission',
  question: 'asks',
  error: 'cannot continue',
  finished: 'has finished its turn',
  review: 'has a pull request to review',
  merge: 'can be merged',
}

export function describeQueue(cards: readonly SessionCard[], now: number): QueueAnswer['items'] {
  const titles = new Map(cards.map(({ id, title }) => [id, title]))
  return rankQueue(cards, now).map(({ weight: _, ...item }) => ({
    ...item,
    sessions: item.sessions.map((id) => ({ id, title: titles.get(id) ?? id })),
  }))
}
