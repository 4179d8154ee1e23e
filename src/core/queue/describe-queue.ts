// The queue with the titles of its sessions, as the API and `ao next --json` give it.
import type { QueueAnswer, SessionCard } from '../../contract/dashboard/cards.ts'
import { rankQueue } from './rank-queue.ts'

export function describeQueue(cards: readonly SessionCard[], now: number): QueueAnswer['items'] {
  const titles = new Map(cards.map(({ id, title }) => [id, title]))
  return rankQueue(cards, now).map((item) => ({
    ...item,
    sessions: item.sessions.map((id) => ({ id, title: titles.get(id) ?? id })),
  }))
}
