import type { SessionCard } from '../../contract/dashboard/cards.ts'
import { compareNeeds } from '../queue/rank-queue.ts'

/**
 * Two cards of one column, in the terminal and on the page: who needs you in the order of the queue, all others newest first.
 * The id decides between equals, so that cards do not jump.
 */
export function compareCards(a: SessionCard, b: SessionCard): number {
  const ids = a.id < b.id ? -1 : 1
  if (a.column === 'needs_you' && a.need && b.need) return compareNeeds(a.need, b.need) || ids
  if (a.statusSince === b.statusSince) return ids
  return a.statusSince < b.statusSince ? 1 : -1
}
