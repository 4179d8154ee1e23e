// The rows of the index: sessions, their files, and the pieces of those with their words.
import type { Database } from 'better-sqlite3'
import { markedPaths } from '../core/search/parse-query.ts'
import type { Piece, Source, Stamp } from './read-source.ts'

export interface SessionRow {
  project: string
  id: string
  agent: string
  status: string
  title: string
  /** '': none. */
  branch: string
  /** What it is compared with; '': the project's default branch. */
  base: string
}

/** Its number. Written only when something of it is new; from then on it counts as active. */
export function saveSession(db: Database, session: SessionRow): number {
  const find = db.prepare(
    `SELECT number, agent = :agent AND status = :status AND title = :title AND branch = :branch AND base = :base
      AND archived IS NULL AS isSame
      FROM sessions WHERE project = :project AND id = :id`,
  )
  const found = find.get(session) as { number: number; isSame: 0 | 1 } | undefined
  if (found?.isSame) return found.number
  const save = db.prepare(
    `INSERT INTO sessions (project, id, agent, status, title, branch, base)
      VALUES (:project, :id, :agent, :status, :title, :branch, :base)
      ON CONFLICT DO UPDATE SET agent = excluded.agent, status = excluded.status, title = excluded.title,
      branch = excluded.branch, base = excluded.base, archived = NULL
      RETURNING number`,
  )
  return save.pluck().get(session) as number
}

type SourceRow = Omit<Source, 'path' | 'transcripts'> &
  Stamp & { number: number; session: number; id: string; agent: string }

/** Of all sessions of the project, or of one. */
export function listRows(db: Database, project: string, session: number | null = null): SourceRow[] {
  const sql = `SELECT sources.*, sessions.id, sessions.agent FROM sources JOIN sessions ON sessions.number = sources.session
    WHERE ${session === null ? 'project = ?' : 'project = ? AND session = ?'}`
  return db.prepare(sql).all(...(session === null ? [project] : [project, session])) as SourceRow[]
}

export function saveSource(db: Database, session: number, source: Source & Stamp, pieces: readonly Piece[]): void {
  const { kind, name, inode, bytes, changed } = source
  const number = db
    .prepare(
      `INSERT INTO sources (session, kind, name, inode, bytes, changed) VALUES (?, ?, ?, ?, ?, ?)
        ON CONFLICT DO UPDATE SET inode = excluded.inode, bytes = excluded.bytes, changed = excluded.changed
        RETURNING number`,
    )
    .pluck()
    .get(session, kind, name, inode, bytes, changed) as number
  for (const piece of pieces) addPiece(db, number, piece)
}

function addPiece(db: Database, source: number, { from, to, units }: Piece): void {
  const add = db.prepare('INSERT INTO pieces (source, start, stop) VALUES (?, ?, ?)')
  const { lastInsertRowid } = add.run(source, from, to)
  const text = units.map((unit) => [unit.text, ...unit.files].join('\n')).join('\n')
  const marked = markedPaths(units.flatMap(({ files }) => files))
  db.prepare('INSERT INTO terms (rowid, text) VALUES (?, ?)').run(lastInsertRowid, `${text}\n${marked}`)
}

/** It is read again when its file grows. */
export function lastPiece(db: Database, source: number): { number: number; start: number } | undefined {
  const last = db.prepare('SELECT number, start FROM pieces WHERE source = ? ORDER BY start DESC LIMIT 1')
  return last.get(source) as { number: number; start: number } | undefined
}

export function dropPiece(db: Database, number: number): void {
  db.prepare('DELETE FROM terms WHERE rowid = ?').run(number)
  db.prepare('DELETE FROM pieces WHERE number = ?').run(number)
}

export function dropSource(db: Database, number: number): void {
  db.transaction(() => {
    const pieces = db.prepare('SELECT number FROM pieces WHERE source = ?').pluck().all(number) as number[]
    for (const piece of pieces) dropPiece(db, piece)
    db.prepare('DELETE FROM sources WHERE number = ?').run(number)
  })()
}
