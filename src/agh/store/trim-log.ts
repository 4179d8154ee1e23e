// Drops the beginning of an ended session's event log to free the disk: its end stays, and the first event says what went. The
// old file is complete until the new one, completed beside it, takes its place (salvage.ts). No copy of it stays, so everything else
// in it is copied as it is, and whatever cannot be read is an error.
import { existsSync } from 'node:fs'
import { setImmediate as nextRound } from 'node:timers/promises'
import type { DrivenMessage } from '../../contract/agh/driver.ts'
import type { EventContents, EventRow } from '../../contract/agh/events.ts'
import type { Clock } from '../../lib/clock.ts'
import { failpoint } from '../../lib/failpoint.ts'
import { prepareCommit, type StoreRecord } from './commit-rows.ts'
import { type Connection, openDatabase, readDatabase, requireOwnLog } from './database.ts'
import { attachedHashes, messageState } from './read-log.ts'
import { fillFresh, finishSalvage, replaceByFresh } from './salvage.ts'

/** How it ended is what people look for. */
export const KEPT_LOG_BYTES = 64 * 1024

export type TrimmedLog = EventContents['store_trimmed']

interface TrimOptions {
  clock: Clock
  /** The files that go as well, given the hashes of those that what stays still names. */
  filesToDrop?: (named: ReadonlySet<string>) => ReadonlyArray<{ bytes: number }>
  /** Asked when the new file is complete, with no await before it takes the place of the old one. Throws when it may not. */
  requireUnchanged(): void
}

/** null: there is nothing to drop. */
export async function trimLog(path: string, options: TrimOptions): Promise<TrimmedLog | null> {
  await requireOwnLog(path)
  finishSalvage(path)
  if (!existsSync(path)) return null
  const plan = await planTrim(path)
  if (plan === null) return null
  failpoint('agh-trim')
  const db = await fillFresh(path, plan.rows, plan.messages)
  let trimmed: TrimmedLog
  try {
    await copyBeside(path, db)
    const files = options.filesToDrop?.(attachedHashes(db)) ?? []
    trimmed = {
      dropped_events: plan.last,
      dropped_files: files.length,
      dropped_bytes: files.reduce((sum, { bytes }) => sum + bytes, plan.bytes),
    }
    const notice = { sequence: plan.last, turn_id: null, type: 'store_trimmed' as const }
    const timestamp = options.clock.now().toISOString()
    prepareCommit(db)([{ ...notice, timestamp, content: JSON.stringify(trimmed) }])
  } finally {
    settle(db)
  }
  failpoint('agh-trim')
  options.requireUnchanged()
  replaceByFresh(path)
  return trimmed
}

/** Would a trim drop anything? One event would only be replaced by the one that says so. */
export function canTrim(path: string): Promise<boolean> {
  const two = 'SELECT count(*) FROM (SELECT 1 FROM events WHERE sequence <= ? LIMIT 2)'
  return readDatabase(
    path,
    (db) =>
      db
        .prepare(two)
        .pluck()
        .get(lastToDrop(endOf(db))) === 2,
  )
}

interface TrimPlan {
  /** The number of the newest event that goes. */
  last: number
  /** The content of those that go. */
  bytes: number
  rows: EventRow[]
  messages: StoreRecord[]
}

async function planTrim(path: string): Promise<TrimPlan | null> {
  if (!(await canTrim(path))) return null
  const db = await openDatabase(path)
  try {
    const rows = endOf(db)
    const last = lastToDrop(rows)
    return { last, rows, ...(await readGone(db, last)) }
  } finally {
    // Nothing of it is in the write-ahead log from here on, whichever file the next reader finds.
    settle(db)
  }
}

const GONE_PAGE = 2_000
const GONE = `SELECT sequence, type, octet_length(content) AS bytes,
    CASE WHEN type IN ('user_message', 'prompt_withdrawn') AND json_valid(content)
      THEN json_extract(content, '$.message_id') END AS message_id
  FROM events WHERE sequence > ? AND sequence <= ? ORDER BY sequence LIMIT ${GONE_PAGE}`

interface GoneRow {
  sequence: number
  type: string
  bytes: number
  message_id: unknown
}

/** In pages, and without their contents, however large it is. What became of a message is known here for the last time. */
async function readGone(db: Connection, last: number): Promise<Pick<TrimPlan, 'bytes' | 'messages'>> {
  const states = new Map<string, DrivenMessage['state']>()
  let bytes = 0
  for (let after = 0; after < last; ) {
    const page = db.prepare(GONE).all(after, last) as GoneRow[]
    for (const { type, message_id: id, ...row } of page) {
      bytes += row.bytes
      if (typeof id !== 'string') continue
      if (type === 'user_message') states.set(id, messageState(db, id))
      else if (!states.has(id)) states.set(id, 'withdrawn')
    }
    after = page.length < GONE_PAGE ? last : page.at(-1)!.sequence
    // Other work gets its turn between two pages.
    await nextRound()
  }
  return { bytes, messages: [...states].map(([id, state]) => ({ table: 'dropped_messages', id, state })) }
}

const TABLES_BESIDE = ['token_usage', 'hook_runs', 'waiting_messages', 'waiting_attachments', 'dropped_messages']

function copyBeside(path: string, fresh: Connection): Promise<void> {
  return readDatabase(path, (old) =>
    fresh.transaction(() => {
      for (const table of TABLES_BESIDE) {
        const rows = old.prepare(`SELECT * FROM ${table} ORDER BY rowid`).raw()
        const values = rows.columns().map(() => '?')
        const copy = fresh.prepare(`INSERT OR REPLACE INTO ${table} VALUES (${values.join(', ')})`)
        for (const row of rows.iterate()) copy.run(row)
      }
    })(),
  )
}

function lastToDrop(kept: readonly EventRow[]): number {
  return (kept[0]?.sequence ?? 0) - 1
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
