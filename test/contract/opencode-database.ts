// OpenCode's database as it was on a real machine (telemetry samples), with rows that a test adds.
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'

const SAMPLES = join(import.meta.dirname, '..', 'fixtures', 'telemetry', 'opencode')

type Row = Record<string, unknown>

export interface OpencodeDatabase {
  path: string
  addSession(row: Row): void
  addMessage(row: Row & { data: unknown }): void
  addPart(row: Row & { data: unknown }): void
  /** Leaves out everything that happened after this moment. */
  forgetAfter(time: number): void
  /** SQL on the open database, for damage and locks. */
  run(sql: string): void
  close(): void
}

/** `directory` replaces the directory in which the samples were recorded. */
export function createOpencodeDatabase(dataDir: string, directory: string): OpencodeDatabase {
  mkdirSync(dataDir, { recursive: true })
  const path = join(dataDir, 'opencode.db')
  const database = new Database(path)
  database.pragma('journal_mode = WAL')
  database.exec(readFileSync(join(SAMPLES, 'schema.sql'), 'utf8'))
  database.pragma('foreign_keys = OFF')
  const insert = (table: string, row: Row) => {
    const columns = Object.keys(row)
    database
      .prepare(`INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map((name) => `@${name}`).join(', ')})`)
      .run(row)
  }
  const withData = ({ data, ...row }: Row & { data: unknown }): Row => ({
    ...row,
    data: typeof data === 'string' ? data : JSON.stringify(data),
  })
  for (const row of samples('session')) insert('session', { ...row, directory })
  for (const row of samples('message')) insert('message', withData(row as Row & { data: unknown }))
  for (const row of samples('part')) insert('part', withData(row as Row & { data: unknown }))
  return {
    path,
    addSession: (row) => insert('session', { ...SESSION_DEFAULTS, directory, ...row }),
    addMessage: (row) => insert('message', withData(row)),
    addPart: (row) => insert('part', withData(row)),
    forgetAfter(time) {
      for (const table of ['part', 'message', 'session']) {
        database.prepare(`DELETE FROM ${table} WHERE time_created > ?`).run(time)
      }
    },
    run: (sql) => {
      database.exec(sql)
    },
    close: () => {
      database.close()
    },
  }
}

const SESSION_DEFAULTS: Row = { project_id: 'p', slug: 'a-b', title: 'A title', version: '1.18.33' }

function samples(name: string): Row[] {
  return readFileSync(join(SAMPLES, `${name}.jsonl`), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Row)
}
