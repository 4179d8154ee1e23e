// The session in OpenCode's database that belongs to an ao session: the newest one in its directory since it exists, else
// the one that ao has written down.

import type { Database } from 'better-sqlite3'
import { recordOf } from '../../contract/record.ts'
import type { Session } from '../../contract/session.ts'
import { pathAndTarget } from '../agent-files/list-directory.ts'

export const SESSION_ID_KEY = 'opencodeSessionId'

/** OpenCode may have its clock's reading from just before ours. */
const SLACK_MS = 5_000

/** The directory first: after a start from scratch, or `/new` inside OpenCode, it has a newer one than ao wrote down. */
export function findSessionId(database: Database, session: Session): string | null {
  const newest = newestInDirectory(database, session)
  if (newest !== null) return newest
  const known = recordOf(session)[SESSION_ID_KEY]
  return known !== undefined && exists(database, known) ? known : null
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
    if (row) return row.id
  }
  return null
}

function exists(database: Database, id: string): boolean {
  return database.prepare('SELECT 1 FROM session WHERE id = ?').get(id) !== undefined
}
