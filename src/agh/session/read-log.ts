// Reads the event log of a session, running or not, without changing it: its events, the tokens of each turn, the hook
// runs. A damaged log is repaired by commands that act on the session.
import { existsSync } from 'node:fs'
import type { HookRunView, TurnUsage } from '../../contract/agh/answers.ts'
import type { EventRow } from '../../contract/agh/events.ts'
import type { SessionMeta } from '../../contract/agh/session-meta.ts'
import { AoError } from '../../contract/errors.ts'
import { isSafeName } from '../../contract/ids.ts'
import { type Connection, isDamage, readDatabase } from '../store/database.ts'
import { historyFile } from '../store/meta-file.ts'
import type { AghContext } from './context.ts'
import { readSession } from './read-session.ts'

/** In order, starting after `after`. */
export async function readEvents(
  context: AghContext,
  sessionId: string,
  after: number,
  limit: number,
): Promise<EventRow[]> {
  const live = context.live.get(sessionId)
  // A session that is just ending has closed its store already.
  if (live && !live.store.isClosed()) return explained(context, sessionId, () => live.store.readAfter(after, limit))
  readIfWhole(context, sessionId)
  const sql = 'SELECT * FROM events WHERE sequence > ? ORDER BY sequence LIMIT ?'
  return readLog(context, sessionId, (db) => db.prepare(sql).all(after, limit) as EventRow[])
}

/** null: the metadata is missing or unreadable, but there is an event log, which is read as it is. */
export function readIfWhole(context: AghContext, sessionId: string): SessionMeta | null {
  try {
    return readSession(context, sessionId)
  } catch (error) {
    const isLost = error instanceof AoError && ['METADATA_DAMAGED', 'SESSION_NOT_FOUND'].includes(error.code)
    if (isLost && isSafeName(sessionId) && existsSync(historyFile(context.paths, sessionId))) return null
    throw error
  }
}

/** The last events, in order; only of `type` when given. */
export async function readRecent(
  context: AghContext,
  sessionId: string,
  count: number,
  type: string | null = null,
): Promise<EventRow[]> {
  readIfWhole(context, sessionId)
  const newest = 'SELECT * FROM events WHERE ? IS NULL OR type = ? ORDER BY sequence DESC LIMIT ?'
  const sql = `SELECT * FROM (${newest}) ORDER BY sequence`
  return readLog(context, sessionId, (db) => db.prepare(sql).all(type, type, count) as EventRow[])
}

/** In turn order. */
export async function readUsage(context: AghContext, sessionId: string): Promise<TurnUsage[]> {
  readSession(context, sessionId)
  const sql = 'SELECT turn_id, usage, timestamp FROM token_usage ORDER BY timestamp, rowid'
  const rows = await readLog(context, sessionId, (db) => db.prepare(sql).all())
  return (rows as Array<TurnUsage & { usage: string }>).map((row) => ({ ...row, usage: JSON.parse(row.usage) }))
}

/** Oldest first. */
export async function readHookRuns(context: AghContext, sessionId: string): Promise<HookRunView[]> {
  readSession(context, sessionId)
  const sql =
    'SELECT number, event, command, required, outcome, detail, duration_ms, timestamp FROM hook_runs ORDER BY number'
  const rows = await readLog(context, sessionId, (db) => db.prepare(sql).all() as HookRunView[])
  return rows.map((row) => ({ ...row, required: Boolean(row.required) }))
}

function readLog<T>(context: AghContext, sessionId: string, read: (db: Connection) => T): Promise<T> {
  return explained(context, sessionId, () => readDatabase(historyFile(context.paths, sessionId), read))
}

async function explained<T>(context: AghContext, sessionId: string, read: () => T | Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    throw isDamage(error) ? logDamaged(context, sessionId, error) : error
  }
}

function logDamaged(context: AghContext, sessionId: string, cause: unknown): AoError {
  const file = historyFile(context.paths, sessionId)
  const first = context.live.has(sessionId) ? 'Stop the session first. ' : ''
  return new AoError('METADATA_DAMAGED', `The event log of session ${sessionId} is damaged: ${file}`, {
    hint: `${first}Keep it aside and carry over what can be read with: agh session repair ${sessionId}`,
    details: { sessionId, file },
    cause,
  })
}
