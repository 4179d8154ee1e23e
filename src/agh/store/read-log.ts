// The one reader of a session's event log, running or not: over its own connection, changing nothing. What a log of an
// older version does not have yet reads as empty.
import { setImmediate as nextRound } from 'node:timers/promises'
import type { HookRunView, TurnUsage } from '../../contract/agh/answers.ts'
import { type Attachment, isAttachments } from '../../contract/agh/attachment.ts'
import type { DrivenMessage } from '../../contract/agh/driver.ts'
import type { EventRow } from '../../contract/agh/events.ts'
import { emptyOutline, foldOutline, type Outline, type OutlineRow } from '../../core/agh/repair/plan-repair.ts'
import type { WaitingMessage } from '../../core/agh/session/waiting-prompt.ts'
import { type Connection, readDatabase } from './database.ts'

export const EVENTS_AFTER = 'SELECT * FROM events WHERE sequence > ? ORDER BY sequence LIMIT ?'
/** The type twice, or null; then how many. */
export const LAST_EVENTS = `SELECT * FROM (
  SELECT * FROM events WHERE ? IS NULL OR type = ? ORDER BY sequence DESC LIMIT ?
) ORDER BY sequence`

/** In order, starting after `after`. */
export function readEventsAfter(path: string, after: number, limit: number): Promise<EventRow[]> {
  return readDatabase(path, (db) => db.prepare(EVENTS_AFTER).all(after, limit) as EventRow[])
}

/** The last events, in order; only of `type` when given. */
export function readLastEvents(path: string, count: number, type: string | null = null): Promise<EventRow[]> {
  return readDatabase(path, (db) => db.prepare(LAST_EVENTS).all(type, type, count) as EventRow[])
}

/** In turn order. */
export async function readTurnUsage(path: string): Promise<TurnUsage[]> {
  const sql = 'SELECT turn_id, usage, timestamp FROM token_usage ORDER BY timestamp, rowid'
  const rows = await readDatabase(path, (db) => db.prepare(sql).all() as Array<TurnUsage & { usage: string }>)
  return rows.map((row) => ({ ...row, usage: JSON.parse(row.usage) }))
}

/** Oldest first. */
export async function readHookRuns(path: string): Promise<HookRunView[]> {
  const columns = 'number, event, command, required, outcome, detail, duration_ms, timestamp'
  const sql = `SELECT ${columns} FROM hook_runs ORDER BY number`
  const rows = await readDatabase(path, (db) => db.prepare(sql).all() as HookRunView[])
  return rows.map((row) => ({ ...row, required: Boolean(row.required) }))
}

/** Messages and prompts that wait for their turn, in order. */
export function readWaiting(path: string): Promise<WaitingMessage[]> {
  return readDatabase(path, (db) => {
    if (!hasTables(db, 'waiting_messages')) return []
    // A log of an earlier version has no files.
    const sql = hasTables(db, 'waiting_attachments') ? WAITING : 'SELECT id, text FROM waiting_messages ORDER BY number'
    return (db.prepare(sql).all() as WaitingRow[]).map(toWaiting)
  })
}

export const WAITING = `SELECT id, text, attachments FROM waiting_messages
  LEFT JOIN waiting_attachments USING (id) ORDER BY number`

export interface WaitingRow {
  id: string
  text: string
  attachments?: string | null
}

export function toWaiting({ id, text, attachments }: WaitingRow): WaitingMessage {
  const files = readAttachments(attachments ?? null)
  return files === null ? { id, text } : { id, text, attachments: files }
}

/** Those of prompts that were sent, and of those that wait. */
const ATTACHED = `SELECT CASE WHEN json_valid(content) THEN json_extract(content, '$.attachments') END AS attachments
  FROM events WHERE type = 'user_message' AND content LIKE '%"attachments"%'
  UNION ALL SELECT attachments FROM waiting_attachments`

/** Hashes of all files that went along with prompts. */
export function attachedHashes(db: Connection): Set<string> {
  const rows = db.prepare(ATTACHED).all() as Array<{ attachments: string | null }>
  return new Set(rows.flatMap((row) => readAttachments(row.attachments)?.map(({ sha256 }) => sha256) ?? []))
}

/** null: none, or none that can be read. */
function readAttachments(json: string | null): Attachment[] | null {
  if (json === null) return null
  try {
    const value: unknown = JSON.parse(json)
    return isAttachments(value) ? value : null
  } catch {
    // As if nothing went along: the prompt itself is whole.
    return null
  }
}

const RECORDED = `SELECT * FROM events WHERE type = 'user_message'
  AND CASE WHEN json_valid(content) THEN json_extract(content, '$.message_id') END = ? ORDER BY sequence LIMIT 1`
const WITHDRAWN = `SELECT 1 FROM events WHERE type = 'prompt_withdrawn'
  AND CASE WHEN json_valid(content) THEN json_extract(content, '$.message_id') END = ? LIMIT 1`
const ANSWERED = `SELECT 1 FROM events
  WHERE sequence > ? AND turn_id = ? AND type NOT IN ('error', 'user_message') LIMIT 1`

const DROPPED = 'SELECT state FROM dropped_messages WHERE id = ?'

export function readMessageState(path: string, id: string): Promise<DrivenMessage['state']> {
  return readDatabase(path, (db) => messageState(db, id))
}

/** What became of a driver's message: whether the agent got it shows in what else its turn contains. */
export function messageState(db: Connection, id: string): DrivenMessage['state'] {
  const message = db.prepare(RECORDED).get(id) as EventRow | undefined
  if (message) return db.prepare(ANSWERED).get(message.sequence, message.turn_id) ? 'handed_over' : 'unknown'
  const waits = 'SELECT 1 FROM waiting_messages WHERE id = ?'
  if (hasTables(db, 'waiting_messages') && db.prepare(waits).get(id)) return 'queued'
  const dropped = hasTables(db, 'dropped_messages') ? db.prepare(DROPPED).pluck().get(id) : undefined
  if (dropped !== undefined) return dropped as DrivenMessage['state']
  return db.prepare(WITHDRAWN).get(id) ? 'withdrawn' : 'lost'
}

/** A request of the agent that was not answered yet, as far as this file knows. */
export interface OpenRequest {
  offset: number
  line: string
  /** What was done about it, as JSON. */
  done: string | null
}

/** How far the last daemon had come with the output of the agent. */
export interface StoredBookmark {
  now: string
  agent: string
  open: OpenRequest[]
}

/** null: there is none. */
export function readBookmark(path: string): Promise<StoredBookmark | null> {
  return readDatabase(path, (db) => {
    if (!hasTables(db, 'bookmark', 'open_requests')) return null
    const part = db.prepare('SELECT value FROM bookmark WHERE part = ?').pluck()
    const [now, agent] = [part.get('now'), part.get('agent')]
    if (typeof now !== 'string' || typeof agent !== 'string') return null
    const requests = 'SELECT place AS "offset", line, done FROM open_requests ORDER BY place'
    return { now, agent, open: db.prepare(requests).all() as OpenRequest[] }
  })
}

const OUTLINE_PAGE = 2_000
const MAX_TITLE = 500
const OUTLINE = `
  SELECT sequence, turn_id, type, is_sound,
    CASE WHEN is_sound AND is_tool AND json_type(content, '$.toolCallId') = 'text' THEN content ->> '$.toolCallId' END
      AS tool_call_id,
    CASE WHEN is_sound AND is_tool AND json_type(content, '$.title') = 'text'
      THEN substr(content ->> '$.title', 1, ${MAX_TITLE}) END AS title
  FROM (
    SELECT sequence, turn_id, type, content, type IN ('tool_call', 'tool_result') AS is_tool,
      CASE WHEN json_valid(content) THEN json_type(content) IN ('object', 'array') ELSE 0 END AS is_sound
    FROM events WHERE sequence > ? ORDER BY sequence LIMIT ?
  )`

/** As a repair reads it, in pages: only numbers, types and names leave the database, however large it is. */
export async function readOutline(path: string): Promise<Outline> {
  const outline = emptyOutline()
  for (;;) {
    const after = outline.lastSequence ?? 0
    const rows = await readDatabase(path, (db) => db.prepare(OUTLINE).all(after, OUTLINE_PAGE) as OutlineRow[])
    for (const row of rows) foldOutline(outline, { ...row, is_sound: Boolean(row.is_sound) })
    if (rows.length < OUTLINE_PAGE || outline.isBroken) return outline
    // Other work gets its turn between two pages.
    await nextRound()
  }
}

function hasTables(db: Connection, ...names: string[]): boolean {
  const sql = `SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name IN (${names.map(() => '?').join(', ')})`
  return (
    db
      .prepare(sql)
      .pluck()
      .get(...names) === names.length
  )
}
