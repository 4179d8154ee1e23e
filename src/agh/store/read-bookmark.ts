// How far the last daemon had come with the output of a session's agent; read without changing anything.
import { type Connection, readDatabase } from './database.ts'

/** A request of the agent that was not answered yet, as far as this file knows. */
export interface OpenRequest {
  offset: number
  line: string
  /** What was done about it, as JSON. */
  done: string | null
}

export interface StoredBookmark {
  now: string
  agent: string
  open: OpenRequest[]
}

/** null: there is none, for instance in a log of an older version. */
export function readBookmark(path: string): Promise<StoredBookmark | null> {
  return readDatabase(path, (db) => {
    if (!hasTables(db)) return null
    const part = db.prepare('SELECT value FROM bookmark WHERE part = ?').pluck()
    const [now, agent] = [part.get('now'), part.get('agent')]
    if (typeof now !== 'string' || typeof agent !== 'string') return null
    const open = db
      .prepare('SELECT place AS "offset", line, done FROM open_requests ORDER BY place')
      .all() as OpenRequest[]
    return { now, agent, open }
  })
}

function hasTables(db: Connection): boolean {
  const tables = "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name IN ('bookmark', 'open_requests')"
  return db.prepare(tables).pluck().get() === 2
}
