// The newest turn of a session in OpenCode's database, and the tool that it runs.
import type { Database } from 'better-sqlite3'
import type { TurnEvent } from '../agent-files/turn-event.ts'

export interface OpencodeTurn {
  event: TurnEvent
  /** Tools at work, also those of its subagents: one of them may be waiting for a permission. */
  running: RunningTool[]
}

export interface RunningTool {
  tool: string
  /** Asking for permission comes after this; work after the answer changes it. */
  updatedAt: number
}

interface MessageRow {
  id: string
  role: string | null
  createdAt: number
  completedAt: number | null
  finish: string | null
  errorName: string | null
  errorMessage: string | null
}

/** Damaged records are passed over, and only what is needed is taken out: the records may hold whole diffs. */
const MESSAGES = `
  SELECT id, time_created AS createdAt,
    json_extract(data, '$.role') AS role,
    json_extract(data, '$.time.completed') AS completedAt,
    json_extract(data, '$.finish') AS finish,
    json_extract(data, '$.error.name') AS errorName,
    json_extract(data, '$.error.data.message') AS errorMessage
  FROM message WHERE session_id = ? AND json_valid(data)
  ORDER BY time_created DESC, id DESC LIMIT 20`

const TOOLS = `
  SELECT json_extract(data, '$.tool') AS tool, time_updated AS updatedAt,
    json_extract(data, '$.state.status') AS status, json_extract(data, '$.state.error') AS error
  FROM part WHERE message_id = ? AND json_valid(data) AND json_extract(data, '$.type') = 'tool'
  ORDER BY id DESC LIMIT 50`

const TOOLS_OF_SUBAGENTS = `
  SELECT json_extract(part.data, '$.tool') AS tool, part.time_updated AS updatedAt
  FROM session JOIN part ON part.session_id = session.id
  WHERE session.parent_id = ? AND part.time_created >= ? AND json_valid(part.data)
    AND json_extract(part.data, '$.type') = 'tool' AND json_extract(part.data, '$.state.status') = 'running'
  ORDER BY part.time_updated DESC LIMIT 50`

interface ToolRow extends RunningTool {
  status: string | null
  error: string | null
}

export function readTurn(database: Database, sessionId: string): OpencodeTurn | null {
  const messages = database.prepare<[string], MessageRow>(MESSAGES).all(sessionId)
  const newest = messages[0]
  if (!newest) return null
  const assistant = messages.find(({ role }) => role === 'assistant')
  const tools = assistant ? database.prepare<[string], ToolRow>(TOOLS).all(assistant.id) : []
  const isAtWork = assistant !== undefined && assistant.completedAt === null
  const running = isAtWork ? runningTools(database, sessionId, assistant, tools) : []
  return { event: turnEvent(newest, tools, lastChange(database, sessionId, newest)), running }
}

function turnEvent(newest: MessageRow, tools: ToolRow[], changedAt: number): TurnEvent {
  const at = new Date(changedAt)
  if (newest.role !== 'assistant') return { kind: 'working', at, evidence: 'opencode: a message to it is newest' }
  const ended = new Date(newest.completedAt ?? changedAt)
  if (newest.errorName === 'MessageAbortedError') {
    return { kind: 'finished', at: ended, evidence: 'opencode: its turn was interrupted' }
  }
  if (newest.errorName !== null) {
    const evidence = `opencode: ${newest.errorName}${newest.errorMessage ? `: ${newest.errorMessage.slice(0, 200)}` : ''}`
    return { kind: 'failed', at: ended, evidence }
  }
  if (newest.completedAt === null) return { kind: 'working', at, evidence: 'opencode: its answer is not complete' }
  if (newest.finish !== 'tool-calls') {
    return { kind: 'finished', at: ended, evidence: `opencode: its turn ended (${newest.finish ?? 'no reason given'})` }
  }
  if (tools.some(({ error }) => error?.includes('rejected permission'))) {
    return { kind: 'finished', at: ended, evidence: 'opencode: a permission was refused' }
  }
  return { kind: 'working', at, evidence: 'opencode: between two steps' }
}

function runningTools(database: Database, sessionId: string, assistant: MessageRow, tools: ToolRow[]): RunningTool[] {
  const own = tools.filter(({ status }) => status === 'running')
  if (own.length === 0) return []
  const children = database.prepare<[string, number], RunningTool>(TOOLS_OF_SUBAGENTS)
  return [...own, ...children.all(sessionId, assistant.createdAt)].map(({ tool, updatedAt }) => ({ tool, updatedAt }))
}

/** Long answers change the parts of a message, not the message. */
function lastChange(database: Database, sessionId: string, newest: MessageRow): number {
  const part = database
    .prepare<[string], { at: number | null }>('SELECT max(time_updated) AS at FROM part WHERE message_id = ?')
    .get(newest.id)
  const session = database
    .prepare<[string], { at: number | null }>('SELECT time_updated AS at FROM session WHERE id = ?')
    .get(sessionId)
  return Math.max(newest.createdAt, part?.at ?? 0, newest.role === 'assistant' ? (session?.at ?? 0) : 0)
}
