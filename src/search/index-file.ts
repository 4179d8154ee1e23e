// The index of all sessions of a configuration: a cache, made anew from the files at any time. It holds words without their text,
// and where the pieces are that contain them.
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Database } from 'better-sqlite3'
import { isDamage } from '../agh/store/database.ts'
import { createFileExclusive } from '../lib/atomic-write.ts'
import { removeTree } from '../lib/remove.ts'
import type { AoPaths } from '../store/paths.ts'

const VERSION = 5
const BUSY_MS = 2_000

const SCHEMA = `
  CREATE TABLE sessions (
    number INTEGER PRIMARY KEY, project TEXT NOT NULL, id TEXT NOT NULL, agent TEXT NOT NULL, status TEXT NOT NULL,
    title TEXT NOT NULL, branch TEXT NOT NULL, base TEXT NOT NULL, tip TEXT, archived TEXT, asked REAL, UNIQUE (project, id)
  );
  CREATE TABLE sources (
    number INTEGER PRIMARY KEY, session INTEGER NOT NULL, kind TEXT NOT NULL, name TEXT NOT NULL,
    inode INTEGER NOT NULL, bytes INTEGER NOT NULL, changed REAL NOT NULL, UNIQUE (session, kind, name)
  );
  CREATE TABLE pieces (number INTEGER PRIMARY KEY, source INTEGER NOT NULL, start INTEGER NOT NULL, stop INTEGER NOT NULL);
  CREATE INDEX pieces_of_source ON pieces (source);
  CREATE VIRTUAL TABLE terms USING fts5 (
    text, content = '', contentless_delete = 1, detail = none, tokenize = 'unicode61 remove_diacritics 2'
  );
  INSERT INTO terms (terms, rank) VALUES ('secure-delete', 1);
  CREATE TABLE archives (project TEXT PRIMARY KEY, changed REAL NOT NULL);
  CREATE TABLE sweeps (at INTEGER NOT NULL);
  PRAGMA user_version = ${VERSION};
`

export function searchDirectory({ dataDir, hash }: Pick<AoPaths, 'dataDir' | 'hash'>): string {
  return join(dataDir, `${hash}.search`)
}

/** Opens it, and closes it. Damage that shows only now makes it anew, once. */
export async function withIndex<T>(
  paths: AoPaths,
  { anew = false }: { anew?: boolean },
  use: (db: Database) => Promise<T>,
): Promise<T> {
  const db = await openIndex(paths, { anew })
  try {
    return await use(db)
  } catch (error) {
    if (anew || !isDamage(error)) throw error
  } finally {
    db.close()
  }
  return withIndex(paths, { anew: true }, use)
}

/** `anew`: without what is there. A damaged index, or one of another version, is made anew by itself. */
export async function openIndex(paths: AoPaths, { anew = false } = {}): Promise<Database> {
  const { default: Sqlite } = await import('better-sqlite3')
  const directory = searchDirectory(paths)
  const path = join(directory, 'index.db')
  if (anew) removeTree(directory)
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  // SQLite would create it with the umask's mode; its companion files get the mode of the file itself.
  if (!existsSync(path)) createFileExclusive(path, '', { durable: false })
  const db = new Sqlite(path, { timeout: BUSY_MS })
  try {
    db.pragma('journal_mode = WAL')
    db.pragma('synchronous = OFF')
    const version = db.pragma('user_version', { simple: true })
    if (version === 0) create(db)
    if (version === 0 || version === VERSION) return db
  } catch (error) {
    db.close()
    if (anew || !isDamage(error)) throw error
    return openIndex(paths, { anew: true })
  }
  db.close()
  return openIndex(paths, { anew: true })
}

function create(db: Database): void {
  db.transaction(() => {
    // Another process may have been first.
    if (db.pragma('user_version', { simple: true }) === 0) db.exec(SCHEMA)
  }).immediate()
}
