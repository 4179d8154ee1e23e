// OpenCode's database, opened read-only and never waiting for its writer: which session belongs to an ao session, and which
// messages were entered. Any problem with the database reads as null.
import { stat } from 'node:fs/promises'
import type { Database } from 'better-sqlite3'
import { errorText } from '../../contract/errors.ts'
import { recordOf } from '../../contract/record.ts'
import type { Session } from '../../contract/session.ts'
import { idField } from '../../core/text/json-fields.ts'
import type { Log } from '../../lib/log.ts'
import type { FoundConversation } from '../../slots/agent.ts'
import { pathAndTarget } from '../agent-files/list-directory.ts'
import { holdsMessage } from '../agent-files/message-text.ts'
import { promptTitle } from '../agent-files/prompt-title.ts'

/** A writer holds the database for milliseconds; if it takes longer, the next poll will show. */
const BUSY_MS = 50

export async function withDatabase<T>(path: string, log: Log, read: (database: Database) => T): Promise<T | null> {
  try {
    if (!(await stat(path)).isFile()) return null
    const { default: open } = await import('better-sqlite3')
    const database = open(path, { readonly: true, fileMustExist: true, timeout: BUSY_MS })
    try {
      return read(database)
    } finally {
      database.close()
    }
  } catch (error) {
    log.debug(`opencode database ${path}: ${errorText(error)}`)
    return null
  }
}

export const SESSION_ID_KEY = 'opencodeSessionId'

/** OpenCode's timestamp may be from just before ours. */
export const SLACK_MS = 5_000

/**
 * The newest session in the directory since the ao session exists, else the one that ao has recorded. The directory first:
 * after a start from scratch, or `/new` inside OpenCode, it has a newer one than ao recorded.
 */
export function findSessionId(database: Database, session: Session): string | null {
  const newest = newestInDirectory(database, session)
  if (newest !== null) return newest
  const recordedId = idField(recordOf(session), SESSION_ID_KEY)
  return recordedId !== null && exists(database, recordedId) ? recordedId : null
}

function newestInDirectory(database: Database, session: Session): string | null {
  if (session.workspacePath === null) return null
  const find = database.prepare<[string, number], { id: string }>(
    `SELECT id FROM session
     WHERE directory = ? AND parent_id IS NULL AND time_created >= ?
     ORDER BY time_created DESC LIMIT 1`,
  )
  for (const directory of pathAndTarget(session.workspacePath)) {
    const row = find.get(directory, session.createdAt.getTime() - SLACK_MS)
    if (row) return idField(row, 'id')
  }
  return null
}

function exists(database: Database, id: string): boolean {
  return database.prepare('SELECT 1 FROM session WHERE id = ?').get(id) !== undefined
}

const LISTED = 20

/** Sessions that were held in these directories, whoever began them; a sub-agent's are not among them. */
export function listSessions(database: Database, directories: readonly string[]): FoundConversation[] {
  const list = database.prepare<[string, number], { id: string; title: unknown; at: unknown }>(
    `SELECT id, title, time_updated AS at FROM session
     WHERE directory = ? AND parent_id IS NULL ORDER BY time_updated DESC LIMIT ?`,
  )
  return directories.flatMap((directory) =>
    pathAndTarget(directory).flatMap((path) =>
      list.all(path, LISTED).flatMap((row) => {
        const id = idField(row, 'id')
        const at = typeof row.at === 'number' ? new Date(row.at) : null
        const title = typeof row.title === 'string' ? promptTitle(row.title) || null : null
        return id === null || at === null || Number.isNaN(at.getTime()) ? [] : [{ id, directory, at, title }]
      }),
    ),
  )
}

const ENTERED = `
  SELECT group_concat(json_extract(part.data, '$.text'), char(10)) AS text
  FROM message JOIN part ON part.message_id = message.id
  WHERE message.session_id = ? AND message.time_created >= ?
    AND json_valid(message.data) AND json_extract(message.data, '$.role') = 'user'
    AND json_valid(part.data) AND json_extract(part.data, '$.type') = 'text'
  GROUP BY message.id ORDER BY message.time_created DESC LIMIT 50`

/** Does it contain a message? It appears as soon as it was entered, even while OpenCode is busy. */
export function hasSeen(database: Database, sessionId: string, text: string, since: Date): boolean {
  const rows = database.prepare<[string, number], { text: string | null }>(ENTERED).all(sessionId, since.getTime())
  return rows.some((row) => holdsMessage(row.text ?? '', text))
}
