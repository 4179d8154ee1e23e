// Replaces a damaged event log by what is still readable. The damaged files get a second name first and keep it; the new
// file is completed next to them, and only then replaces the old one. Killed anywhere, the next start continues from there.
import { existsSync, linkSync, renameSync } from 'node:fs'
import { dirname } from 'node:path'
import type { EventRow } from '../../contract/agh/events.ts'
import { syncPath } from '../../lib/atomic-write.ts'
import type { Clock } from '../../lib/clock.ts'
import { failpoint } from '../../lib/failpoint.ts'
import { removeFile } from '../../lib/remove.ts'
import { prepareCommit, type StoreRecord } from './commit-rows.ts'
import { type Connection, isBusy, openDatabase, readDatabase } from './database.ts'
import { createEventStore, type EventStoreOptions } from './event-store.ts'
import { readWaiting } from './read-log.ts'

export async function replaceDamaged(path: string, options: EventStoreOptions): Promise<void> {
  const quarantined = quarantine(path, options)
  failpoint('agh-salvage')
  const rows = await readWhatIsLeft(quarantined, options.floor)
  const store = createEventStore(await fillFresh(path, rows, await readRecords(quarantined, options.clock)), options)
  const highest = Math.max(options.floor, rows.at(-1)?.sequence ?? 0)
  await store.appendDurable({
    turn_id: null,
    type: 'store_salvaged',
    content: { kept_events: rows.length, lost_events: highest - rows.length, damaged_file: quarantined },
  })
  await store.close()
  failpoint('agh-salvage')
  replaceByFresh(path)
}

function freshFile(path: string): string {
  return `${path}.salvaging`
}

/** A log beside this one, to take its place; open. */
export async function fillFresh(
  path: string,
  rows: readonly EventRow[],
  records: readonly StoreRecord[],
): Promise<Connection> {
  removeDatabase(freshFile(path))
  const db = await openDatabase(freshFile(path))
  prepareCommit(db)(rows, records)
  return db
}

/** It is complete, on disk and closed. */
export function replaceByFresh(path: string): void {
  renameSync(freshFile(path), complete(path))
  failpoint('agh-salvage')
  finishSalvage(path)
}

/** The WAL of the old file must be gone before the new file gets its name: it would be replayed into it. */
export function finishSalvage(path: string): void {
  if (!existsSync(complete(path))) return
  for (const suffix of ['-wal', '-shm']) removeFile(path + suffix)
  failpoint('agh-salvage')
  renameSync(complete(path), path)
  syncPath(dirname(path))
  failpoint('agh-salvage')
}

function complete(path: string): string {
  return `${path}.salvaged`
}

function quarantine(path: string, options: EventStoreOptions): string {
  const stamp = options.clock.now().toISOString().replace(/[:.]/g, '-')
  const quarantined = `${path}.damaged-${stamp}`
  for (const suffix of ['', '-wal']) {
    if (existsSync(path + suffix) && !existsSync(quarantined + suffix)) linkSync(path + suffix, quarantined + suffix)
  }
  return quarantined
}

function removeDatabase(path: string): void {
  for (const suffix of ['', '-wal', '-shm']) removeFile(path + suffix)
}

async function readWhatIsLeft(path: string, floor: number): Promise<EventRow[]> {
  try {
    return await readDatabase(path, (db) => readAround(db, floor))
  } catch (error) {
    if (isBusy(error)) throw error
    // Not even the first page is readable: everything is lost, and the event that follows says so.
    return []
  }
}

/** Everything that is kept beside the events. */
async function readRecords(path: string, clock: Clock): Promise<StoreRecord[]> {
  return [...(await readWhatWaits(path, clock)), ...(await readBeside(path))]
}

/** Accepted messages that wait for their turn must not be lost because of an unrelated page. */
async function readWhatWaits(path: string, clock: Clock): Promise<StoreRecord[]> {
  try {
    const waiting = await readWaiting(path)
    const at = clock.now().toISOString()
    return waiting.map((add) => ({ table: 'waiting_messages', add, at }))
  } catch (error) {
    if (isBusy(error)) throw error
    // Their own page is unreadable too.
    return []
  }
}

/** Tokens and hooks by turn, and messages of events that were dropped: each table as far as it can be read. */
async function readBeside(path: string): Promise<StoreRecord[]> {
  const usage = await readRows(
    path,
    'token_usage',
    (row): StoreRecord => ({
      table: 'token_usage',
      turnId: String(row.turn_id),
      usage: JSON.parse(String(row.usage)) as object,
      at: String(row.timestamp),
    }),
  )
  const hooks = await readRows(
    path,
    'hook_runs',
    (row): StoreRecord => ({
      table: 'hook_runs',
      event: String(row.event),
      command: String(row.command),
      required: row.required === 1,
      outcome: String(row.outcome),
      detail: String(row.detail),
      durationMs: Number(row.duration_ms),
      at: String(row.timestamp),
    }),
  )
  const messages = await readRows(
    path,
    'dropped_messages',
    (row): StoreRecord => ({ table: 'dropped_messages', id: String(row.id), state: String(row.state) }),
  )
  return [...usage, ...hooks, ...messages]
}

async function readRows(
  path: string,
  table: 'token_usage' | 'hook_runs' | 'dropped_messages',
  toRecord: (row: Record<string, unknown>) => StoreRecord,
): Promise<StoreRecord[]> {
  const found: StoreRecord[] = []
  try {
    await readDatabase(path, (db) => {
      for (const row of db.prepare(`SELECT * FROM ${table} ORDER BY rowid`).iterate()) {
        found.push(toRecord(row as Record<string, unknown>))
      }
    })
  } catch (error) {
    if (isBusy(error)) throw error
    // Up to the page that is broken.
  }
  return found
}

/** Row by row; where a page is broken, number by number until a readable one comes. */
const MAX_BROKEN = 20_000

function readAround(db: Connection, floor: number): EventRow[] {
  const rows: EventRow[] = []
  let broken = 0
  for (let next = 1; broken < MAX_BROKEN; ) {
    try {
      const found = db.prepare('SELECT * FROM events WHERE sequence >= ? ORDER BY sequence LIMIT 1').get(next)
      if (found === undefined) return rows
      const row = found as EventRow
      if (isWhole(row)) rows.push(row)
      next = row.sequence + 1
    } catch (error) {
      if (isBusy(error)) throw error
      if ((error as { code?: unknown }).code === 'SQLITE_NOTADB') return rows
      // This number is unreadable. The next one may be on a readable page.
      broken++
      next++
      if (floor > 0 && next > floor + MAX_BROKEN) return rows
    }
  }
  return rows
}

function isWhole(row: EventRow): boolean {
  try {
    JSON.parse(row.content)
    return Number.isInteger(row.sequence) && typeof row.type === 'string'
  } catch {
    // A partial row is discarded.
    return false
  }
}
