// The rows of the last commit in memory: readers that keep up with a stream need not query the database.
import type { EventRow } from '../../contract/agh/events.ts'

export interface RecentRows {
  /** The newest commit replaces the previous one. Its numbers are consecutive. */
  replace(rows: readonly EventRow[]): void
  /** null: they are older than what is held here. */
  readAfter(sequence: number, limit: number): EventRow[] | null
}

/** Every live session has its own, so large rows are not held. */
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
