// The newest committed events in memory: readers who keep up with a stream need not ask the database.
import type { EventRow } from '../../contract/agh/events.ts'

export interface RecentRows {
  /** Only what is committed. The numbers follow each other without gaps. */
  add(rows: readonly EventRow[]): void
  /** null: they are older than what is held here. */
  readAfter(sequence: number, limit: number): EventRow[] | null
}

/** Small, because every live session has its own. */
const MAX_ROWS = 512
const MAX_CHARACTERS = 128 * 1024

export function createRecentRows(): RecentRows {
  let held: EventRow[] = []
  let characters = 0
  return {
    add(rows) {
      const size = rows.reduce((sum, { content }) => sum + content.length, 0)
      if (held.length + rows.length > MAX_ROWS || characters + size > MAX_CHARACTERS) {
        held = []
        characters = 0
      }
      if (rows.length > MAX_ROWS || size > MAX_CHARACTERS) return
      held.push(...rows)
      characters += size
    },
    readAfter(sequence, limit) {
      const first = held[0]
      if (!first || sequence < first.sequence - 1) return null
      const from = sequence + 1 - first.sequence
      return held.slice(from, from + limit)
    },
  }
}
