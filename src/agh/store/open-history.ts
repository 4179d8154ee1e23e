// Opens a session's history for writing. A damaged file is put aside, what it still gives is carried over, and the loss
// is written into the history itself.
import { existsSync, renameSync } from 'node:fs'
import type { EventRow } from '../../contract/agh/events.ts'
import { type Connection, isDamage, openDatabase, openReadOnly } from './database.ts'
import { createEventStore, type EventStore, type EventStoreOptions } from './event-store.ts'

export async function openHistory(path: string, options: EventStoreOptions): Promise<EventStore> {
  try {
    return createEventStore(await openDatabase(path), options)
  } catch (error) {
    if (!isDamage(error)) throw error
    return salvage(path, options)
  }
}

/** Looks at every page; for histories whose last writer was killed. */
export async function isSound(path: string): Promise<boolean> {
  try {
    const db = await openDatabase(path)
    try {
      return db.pragma('quick_check(1)', { simple: true }) === 'ok'
    } finally {
      db.close()
    }
  } catch (error) {
    if (isDamage(error)) return false
    throw error
  }
}

export async function salvage(path: string, options: EventStoreOptions): Promise<EventStore> {
  const aside = freeName(path, options)
  for (const suffix of ['-wal', '-shm', '']) {
    if (existsSync(path + suffix)) renameSync(path + suffix, aside + suffix)
  }
  const rows = await readWhatIsLeft(aside, options.floor)
  const db = await openDatabase(path)
  const insert = db.prepare('INSERT INTO events VALUES (?, ?, ?, ?, ?)')
  db.transaction(() => {
    for (const row of rows) insert.run(row.sequence, row.turn_id, row.type, row.timestamp, row.content)
  })()
  const store = createEventStore(db, options)
  const highest = Math.max(options.floor, rows.at(-1)?.sequence ?? 0)
  store.appendDurable({
    turn_id: null,
    type: 'store_salvaged',
    content: { kept_events: rows.length, lost_events: highest - rows.length, damaged_file: aside },
  })
  return store
}

function freeName(path: string, options: EventStoreOptions): string {
  const stamp = options.clock.now().toISOString().replace(/[:.]/g, '-')
  return `${path}.damaged-${stamp}`
}

async function readWhatIsLeft(path: string, floor: number): Promise<EventRow[]> {
  let db: Connection
  try {
    db = await openReadOnly(path)
  } catch {
    // Not even the first page can be read: everything is lost, and the event that follows says so.
    return []
  }
  try {
    return readAround(db, floor)
  } finally {
    db.close()
  }
}

/** Rows one after the other; where a page is broken, number by number until a readable one comes. */
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
      if ((error as { code?: unknown }).code === 'SQLITE_NOTADB') return rows
      // This number cannot be read. The next one may stand on a page that can.
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
    // Half a row is none.
    return false
  }
}
