// The rows of the last commit in memory: readers who keep up with a stream need not ask the database.
import type { EventRow } from '../../contract/agh/events.ts'

export interface RecentRows {
  /** The newest commit takes the place of the one before. Its numbers follow each other without gaps. */
  replace(rows: readonly EventRow[]): void
  /** null: they are older than what is held here. */
  readAfter(sequence: number, limit: number): EventRow[] | null
}

/** Every live session has its own, so what is large is not held. */
const MAX_CHARACTERS = 128 * 1024

export function createRecentRows(): RecentRows {
  let held: readonly EventRow[] = []
  return {
    replace(rows) {
      const size = rows.reduce((sum, { content }) => sum + content.length, 0)
      held = size > MAX_CHARACTERS ? [] : rows
    },
    readAfter(sequence, limit) {
      const first = held[0]
      if (!first || sequence < first.sequence - 1) return null
      const from = sequence + 1 - first.sequence
      return held.slice(from, from + limit)
    },
  }
}
