// Ended sessions in pages, the newest end first. A page begins behind the last session of the one before it, not at a number:
// sessions that end or go meanwhile shift nothing, so no page repeats or leaves out what did not change. Pure.
import { recordOf } from '../../contract/record.ts'
import { DAMAGED_KEY, type Session } from '../../contract/session.ts'
import { TERMINAL_STATUSES } from '../../contract/status.ts'
import { isEndOpen } from '../queue/find-need.ts'

/** How many of them are on the board from the beginning. */
export const FIRST_ENDED = 50

export interface EndedPosition {
  id: string
  /** When it ended, ISO 8601. */
  since: string
}

/**
 * It has ended, and nobody has to do anything about it: its record, and for some the end of its history, is enough to list
 * it. A closed pull request may belong to an agent that is still running.
 */
export function isSettled(stored: Session, endedByCommand: (stored: Session) => boolean): boolean {
  if (!TERMINAL_STATUSES.has(stored.status) || DAMAGED_KEY in stored.metadata) return false
  const { operation, prState } = recordOf(stored)
  if (operation !== undefined || (stored.status === 'killed' && prState === 'closed')) return false
  return !isEndOpen(stored, () => endedByCommand(stored))
}

export function endedPosition(stored: Session): EndedPosition {
  const { statusSince } = recordOf(stored)
  const since = statusSince ?? stored.lastActivityAt
  return { id: stored.id, since: Number.isNaN(since.getTime()) ? new Date(0).toISOString() : since.toISOString() }
}

/** Before all of them. */
export const BEGINNING: EndedPosition = { since: '9999', id: '-' }

/** Newest first; the id decides between equals. */
export function compareEnded(a: EndedPosition, b: EndedPosition): number {
  if (a.since !== b.since) return a.since < b.since ? 1 : -1
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0
}

export interface EndedPage<T> {
  items: T[]
  /** Where the next page begins; null: this is the last one. */
  next: string | null
}

/** `after` is the `next` of another page; null: the first. */
export function pageOfEnded<T extends EndedPosition>(
  all: Iterable<T>,
  after: EndedPosition | null,
  limit: number,
): EndedPage<T> {
  const behind = [...all].filter((one) => after === null || compareEnded(after, one) < 0).sort(compareEnded)
  const items = behind.slice(0, limit)
  const last = items.at(-1)
  return { items, next: last && behind.length > items.length ? formatPosition(last) : null }
}

export function formatPosition({ since, id }: EndedPosition): string {
  return `${since} ${id}`
}

/** null: not one of ours. */
export function parsePosition(text: string): EndedPosition | null {
  const match = /^(\S{1,40}) (\S{1,200})$/.exec(text)
  return match ? { since: match[1]!, id: match[2]! } : null
}
