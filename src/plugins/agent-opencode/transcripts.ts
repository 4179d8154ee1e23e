// What was said in a session, from OpenCode's database, which all of its sessions share. Data of other programs.
import { stat } from 'node:fs/promises'
import type { Database } from 'better-sqlite3'
import { recordOf } from '../../contract/record.ts'
import type { Session } from '../../contract/session.ts'
import { idField, type JsonObject, parseObject } from '../../core/text/json-fields.ts'
import type { Log } from '../../lib/log.ts'
import type { AgentTranscripts } from '../../slots/agent.ts'
import { pathAndTarget } from '../agent-files/list-directory.ts'
import { SESSION_ID_KEY, SLACK_MS, withDatabase } from './database.ts'

const MOST_SESSIONS = 50
/** More of one part is left out. */
const MOST_BYTES = 2 * 1024 * 1024

const SESSIONS = `
  SELECT id FROM session WHERE directory = ? AND (time_created >= ? OR id IN (?, ?)) ORDER BY time_created LIMIT ${MOST_SESSIONS}`
const STAMP = 'SELECT count(*) AS bytes, max(time_updated) AS changed FROM part WHERE session_id = ?'
const KEYS = 'SELECT id FROM part WHERE session_id = ? ORDER BY id LIMIT ?'
const PART = `
  SELECT time_created AS at, CASE WHEN octet_length(data) <= ${MOST_BYTES} THEN data END AS data
  FROM part WHERE id = ? AND session_id = ?`

export function opencodeTranscripts(databaseOf: (stateDir: string) => string, log: Log): AgentTranscripts {
  const ask = async <T>(name: string, read: (database: Database, id: string) => T): Promise<T> => {
    const { path, id } = parseName(name)
    const answer = await withDatabase(path, log, (database) => ({ found: read(database, id) }))
    if (answer === null) throw new Error(`${path} cannot be read now`)
    return answer.found
  }
  return {
    spokenIn: ({ type, text, state }) =>
      type === 'text' || type === 'reasoning' ? { text } : type === 'tool' && state,
    async names(session, { stateDir }) {
      const path = databaseOf(stateDir)
      const ids = await withDatabase(path, log, (database) => sessionsOf(database, session))
      return (ids ?? []).map((id) => `${path}#${id}`)
    },
    rows: {
      async stamp(name) {
        const stats = await stat(parseName(name).path).catch(() => null)
        if (!stats?.isFile()) return null
        const found = await ask(name, (database, id) => database.prepare(STAMP).get(id) as Counted)
        return found.bytes === 0 ? null : { inode: stats.ino, bytes: found.bytes, changed: found.changed ?? 0 }
      },
      keys: (name, most) => ask(name, (database, id) => database.prepare(KEYS).pluck().all(id, most) as string[]),
      read: (name, keys) =>
        ask(name, (database, id) => {
          const part = database.prepare(PART)
          return keys.map((key) => recordIn(part.get(key, id) as Part | undefined))
        }),
    },
  }
}

interface Counted {
  bytes: number
  changed: number | null
}

interface Part {
  at: number
  data: string | null
}

/** What is gone by now says nothing. */
function recordIn({ at, data }: Part = { at: Number.NaN, data: null }): JsonObject {
  const time = new Date(at)
  return { ...parseObject(data ?? ''), timestamp: Number.isNaN(time.getTime()) ? undefined : time.toISOString() }
}

/** A sub-agent's are among them. */
function sessionsOf(database: Database, session: Session): string[] {
  const { createdAt, workspacePath } = session
  const record = recordOf(session)
  const own = [idField(record, SESSION_ID_KEY), record.conversation ?? null]
  return pathAndTarget(workspacePath ?? '').flatMap((path) =>
    database
      .prepare(SESSIONS)
      .all(path, createdAt.getTime() - SLACK_MS, ...own)
      .flatMap((row) => idField(row, 'id') ?? []),
  )
}

function parseName(name: string): { path: string; id: string } {
  const at = name.lastIndexOf('#')
  return { path: name.slice(0, at), id: name.slice(at + 1) }
}
