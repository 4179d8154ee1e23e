// Drops the beginning of an ended session's event log to free the disk: its end stays, and the first event says what went. The
// old file is complete until the new one, completed beside it, takes its place (salvage.ts).
import { existsSync } from 'node:fs'
import type { EventContents, EventRow } from '../../contract/agh/events.ts'
import type { Clock } from '../../lib/clock.ts'
import { failpoint } from '../../lib/failpoint.ts'
import { type Connection, openDatabase } from './database.ts'
import { fillFresh, finishSalvage, readRecords, replaceByFresh } from './salvage.ts'

/** How it ended is what people look for. */
export const KEPT_LOG_BYTES = 64 * 1024

export type TrimmedLog = EventContents['store_trimmed']

interface TrimOptions {
  clock: Clock
  /** Asked when the new file is complete, with no await before it takes the place of the old one. Throws when it may not. */
  requireUnchanged(): void
}

/** null: there is nothing to drop. */
export async function trimLog(path: string, { clock, requireUnchanged }: TrimOptions): Promise<TrimmedLog | null> {
  finishSalvage(path)
  if (!existsSync(path)) return null
  const plan = await planTrim(path)
  if (plan === null) return null
  const { last, rows, ...trimmed } = plan
  const notice: EventRow = {
    ...{ sequence: last, turn_id: null, type: 'store_trimmed' },
    ...{ timestamp: clock.now().toISOString(), content: JSON.stringify(trimmed) },
  }
  failpoint('agh-trim')
  const records = await readRecords(path, clock)
  const db = await fillFresh(path, [notice, ...rows], records)
  settle(db)
  failpoint('agh-trim')
  requireUnchanged()
  replaceByFresh(path)
  return trimmed
}

interface TrimPlan extends TrimmedLog {
  /** The number of the newest event that goes. */
  last: number
  rows: EventRow[]
}

async function planTrim(path: string): Promise<TrimPlan | null> {
  const db = await openDatabase(path)
  try {
    const rows = endOf(db)
    const last = (rows[0]?.sequence ?? 0) - 1
    const gone =
      'SELECT count(*) AS events, sum(length(CAST(content AS BLOB))) AS bytes FROM events WHERE sequence <= ?'
    const { events, bytes } = db.prepare(gone).get(last) as { events: number; bytes: number | null }
    // One event would be replaced by the one that says so.
    return events <= 1 ? null : { last, rows, dropped_events: last, dropped_bytes: bytes ?? 0 }
  } finally {
    // Nothing of it is in the write-ahead log from here on, whichever file the next reader finds.
    settle(db)
  }
}

/** From the beginning of a turn on, where one begins in what stays. */
function endOf(db: Connection): EventRow[] {
  const rows: EventRow[] = []
  let bytes = 0
  for (const found of db.prepare('SELECT * FROM events ORDER BY sequence DESC').iterate()) {
    const row = found as EventRow
    bytes += Buffer.byteLength(row.content)
    if (rows.length > 0 && bytes > KEPT_LOG_BYTES) break
    rows.unshift(row)
  }
  return rows.slice(
    Math.max(
      0,
      rows.findIndex(({ type }) => type === 'user_message'),
    ),
  )
}

function settle(db: Connection): void {
  try {
    db.pragma('synchronous = FULL')
    db.pragma('wal_checkpoint(TRUNCATE)')
  } finally {
    db.close()
  }
}
