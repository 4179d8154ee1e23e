// The SQLite file of one session: opening it, its tables, distinguishing damage from other problems.
import { existsSync, statSync } from 'node:fs'
import type { Database as Connection } from 'better-sqlite3'
import { FORMATS, newerFormat } from '../../contract/formats.ts'
import { createFileExclusive } from '../../lib/atomic-write.ts'
import { sleep } from '../../lib/clock.ts'

export type { Connection }

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS events (
    sequence INTEGER PRIMARY KEY,
    turn_id TEXT,
    type TEXT NOT NULL,
    timestamp TEXT NOT NULL,
    content TEXT NOT NULL
  );
  CREATE TABLE IF NOT EXISTS token_usage (
    turn_id TEXT PRIMARY KEY,
    usage TEXT NOT NULL,
    timestamp TEXT NOT NULL
  );
  CREATE TABLE IF NOT EXISTS hook_runs (
    number INTEGER PRIMARY KEY,
    event TEXT NOT NULL,
    command TEXT NOT NULL,
    required INTEGER NOT NULL,
    outcome TEXT NOT NULL,
    detail TEXT NOT NULL,
    duration_ms INTEGER NOT NULL,
    timestamp TEXT NOT NULL
  );
  CREATE TABLE IF NOT EXISTS waiting_messages (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    text TEXT NOT NULL,
    timestamp TEXT NOT NULL
  );
  CREATE TABLE IF NOT EXISTS waiting_attachments (
    id TEXT PRIMARY KEY,
    attachments TEXT NOT NULL
  );
  CREATE TABLE IF NOT EXISTS dropped_messages (
    id TEXT PRIMARY KEY,
    state TEXT NOT NULL
  );
  CREATE TABLE IF NOT EXISTS open_requests (
    place INTEGER PRIMARY KEY,
    line TEXT NOT NULL,
    done TEXT
  );
  CREATE TABLE IF NOT EXISTS bookmark (
    part TEXT PRIMARY KEY,
    value TEXT NOT NULL
  );
  CREATE INDEX IF NOT EXISTS events_by_message ON events (
    CASE WHEN json_valid(content) THEN json_extract(content, '$.message_id') END
  ) WHERE type = 'user_message';
`

const CACHE_KIB = 256
const CHECKPOINT_PAGES = 4_000

/** How long to wait for another program's lock, and how often to retry meanwhile. */
export const BUSY_TIMEOUT_MS = 5_000
export const BUSY_RETRY_MS = 20

/** Read-write, created when missing. */
export async function openDatabase(path: string): Promise<Connection> {
  const { default: Database } = await import('better-sqlite3')
  // SQLite would create it with the umask's mode; its companion files get the mode of the file itself.
  if (!existsSync(path)) createFileExclusive(path, '', { durable: false })
  return whileBusy(() => prepare(new Database(path, { timeout: 0 })))
}

/** FORMAT_NEWER when a newer program wrote it: opening it to write would already change it. A damaged one names no version. */
export async function requireOwnLog(path: string): Promise<void> {
  const version = await versionOf(path)
  if (version > FORMATS.eventLog) throw newerFormat(path, version, FORMATS.eventLog)
}

async function versionOf(path: string): Promise<number> {
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0) return 0
  try {
    return await readDatabase(path, (db) => Number(db.pragma('user_version', { simple: true })))
  } catch (error) {
    if (isDamage(error)) return 0
    throw error
  }
}

function prepare(db: Connection): Connection {
  try {
    db.pragma('journal_mode = WAL')
    db.pragma('synchronous = NORMAL')
    // Event logs are appended to and read once: a large cache per session would only hold memory.
    db.pragma(`cache_size = -${CACHE_KIB}`)
    // Each checkpoint waits for the disk and blocks the event loop: so rarely, and at the latest at the end of the session.
    db.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`)
    db.exec(SCHEMA)
    // The first read of the table detects damage that opening alone does not.
    db.prepare('SELECT max(sequence) FROM events').get()
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

/** Reads over its own read-only connection. */
export async function readDatabase<T>(path: string, read: (db: Connection) => T): Promise<T> {
  return whileBusy(async () => {
    const db = await openReadOnly(path)
    try {
      return read(db)
    } finally {
      db.close()
    }
  })
}

export async function openReadOnly(path: string): Promise<Connection> {
  const { default: Database } = await import('better-sqlite3')
  return new Database(path, { readonly: true, fileMustExist: true, timeout: 0 })
}

/** SQLite would wait for a foreign lock inside its call, blocking everything else. */
async function whileBusy<T>(act: () => T | Promise<T>): Promise<T> {
  const deadline = performance.now() + BUSY_TIMEOUT_MS
  for (;;) {
    try {
      return await act()
    } catch (error) {
      if (!isBusy(error) || performance.now() >= deadline) throw error
      await sleep(BUSY_RETRY_MS)
    }
  }
}

/** Another program holds the lock. */
export function isBusy(error: unknown): boolean {
  const code = (error as { code?: unknown }).code
  return typeof code === 'string' && /^SQLITE_(BUSY|LOCKED)/.test(code)
}

/** The disk is full or failing: existing data can still be read. */
export function isNoSpace(error: unknown): boolean {
  const code = (error as { code?: unknown }).code
  return typeof code === 'string' && /^(SQLITE_FULL|SQLITE_IOERR|ENOSPC|EDQUOT|EIO$)/.test(code)
}

export function isDamage(error: unknown): boolean {
  const code = (error as { code?: unknown }).code
  return typeof code === 'string' && /^SQLITE_(CORRUPT|NOTADB)/.test(code)
}
