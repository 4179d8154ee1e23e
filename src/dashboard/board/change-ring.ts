// The latest changes of the board, numbered: a reader that missed some gets them as one, or learns that it needs
// everything.
import type { BoardChange, SessionCard } from '../../contract/dashboard/cards.ts'
import type { Stale } from '../../contract/dashboard/stream.ts'

export interface Missed {
  /** null: nothing of the board itself changed. */
  change: BoardChange | null
  stale: Stale[]
}

export interface ChangeRing {
  /** The number of the newest one; 0 at the start. */
  last(): number
  add(entry: { change: BoardChange } | { stale: Stale }): void
  /** All after this number, merged; null: some of them are gone, or it was never assigned. */
  after(number: number): Missed | null
}

type Entry = { change: BoardChange } | { stale: Stale }

export function createChangeRing(most: number): ChangeRing {
  let entries: Entry[] = []
  let last = 0
  return {
    last: () => last,
    add(entry) {
      last += 1
      entries.push(entry)
      // Up to twice as many: cutting one off each time would copy all of them each time.
      if (entries.length >= most * 2) entries = entries.slice(-most)
    },
    after(number) {
      const missed = last - number
      if (missed < 0 || missed > Math.min(most, entries.length)) return null
      return missed === 0 ? { change: null, stale: [] } : merge(entries.slice(-missed))
    },
  }
}

/** Later changes win, so a slow reader gets at most one card per session. */
function merge(entries: Entry[]): Missed {
  const changes = entries.flatMap((entry) => ('change' in entry ? [entry.change] : []))
  const stale = new Map(
    entries.flatMap((entry) =>
      'stale' in entry ? [[`${entry.stale.what} ${entry.stale.projectId ?? ''}`, entry.stale] as const] : [],
    ),
  )
  return { change: changes.length === 0 ? null : mergeChanges(changes), stale: [...stale.values()] }
}

function mergeChanges(changes: BoardChange[]): BoardChange {
  const cards = new Map<string, SessionCard>()
  const removed = new Set<string>()
  let rest: Omit<BoardChange, 'sessions' | 'removed'> = {}
  for (const { sessions, removed: gone, ...more } of changes) {
    for (const id of gone) {
      cards.delete(id)
      removed.add(id)
    }
    for (const card of sessions) {
      removed.delete(card.id)
      cards.set(card.id, card)
    }
    rest = { ...rest, ...more }
  }
  return { sessions: [...cards.values()], removed: [...removed], ...rest }
}
