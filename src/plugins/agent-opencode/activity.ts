// What OpenCode is doing: its database shows the turn, its log a question; the rest is left to the screen.

import type { Database } from 'better-sqlite3'
import type { Session } from '../../contract/session.ts'
import type { Log } from '../../lib/log.ts'
import type { ActivityReading, ReadOptions } from '../../slots/agent.ts'
import { activityFromAge, turnEnd } from '../agent-files/age-activity.ts'
import { type LaunchNote, sinceLaunch } from '../agent-files/launch-note.ts'
import { readTextTail } from '../agent-files/read-text.ts'
import { readScreenLog } from '../agent-files/screen/screen-log.ts'
import type { TurnEvent } from '../agent-files/turn-event.ts'
import { findSessionId, withDatabase } from './database.ts'
import { opencodeFiles } from './launch.ts'

const LOG_TAIL_BYTES = 256 * 1024

export interface OpencodeFiles {
  dataDir: string
  note: LaunchNote | null
  log: Log
}

export async function readActivity(
  session: Session,
  options: ReadOptions,
  files: OpencodeFiles,
): Promise<ActivityReading | null> {
  const found = await withDatabase(opencodeFiles.database(files.dataDir), files.log, (database) => {
    const id = findSessionId(database, session)
    const turn = id === null ? null : readTurn(database, id)
    return id === null || turn === null ? null : { id, turn }
  })
  const event = sinceLaunch(found?.turn.event ?? null, files.note, options.now)
  if (!found || !event) return readScreenLog(session, options, files.note?.launchedAt)
  // Records from before this launch count as its beginning; none of their tools is still running.
  const isCurrent = event === found.turn.event
  const waiting = isCurrent ? await findQuestion(found.turn, found.id, files.dataDir) : null
  const { kind, at, evidence } = waiting ?? event
  if (kind === 'exited') return { state: 'exited', timestamp: at, evidence }
  const isEnding = isCurrent && found.turn.isEnding ? ({ isEnding: true } as const) : {}
  return { state: activityFromAge({ kind, at, ...options }), timestamp: at, evidence, ...turnEnd(kind), ...isEnding }
}

async function findQuestion(turn: OpencodeTurn, sessionId: string, dataDir: string): Promise<TurnEvent | null> {
  if (turn.running.length === 0) return null
  const question = turn.running.find(({ tool }) => tool === 'question')
  if (question) {
    return { kind: 'waiting', at: new Date(question.updatedAt), evidence: 'opencode: it asks a question' }
  }
  const tail = await readTextTail(opencodeFiles.log(dataDir), LOG_TAIL_BYTES)
  const asking = tail && lastAsking(tail.text, sessionId)
  if (!asking) return null
  // A tool that was allowed to run has changed since the question; the question itself is written down with it.
  const waits = turn.running.some(({ updatedAt, hasBegun }) => !hasBegun && updatedAt <= asking.at + ASKED_WITHIN_MS)
  if (!waits) return null
  return {
    kind: 'waiting',
    at: new Date(asking.at),
    evidence: `opencode: it asks for permission (${asking.permission})`,
  }
}

/** The part of a tool is written up to a tenth of a second after the line of the log that says that it asks. */
const ASKED_WITHIN_MS = 1_000

interface Asking {
  at: number
  permission: string
}

const ASKING = /^timestamp=(\S{1,60}) .{0,300}?\brun=(\S{1,100}) .{0,300}?\bmessage=asking\b.{0,300}?\bpermission=(\S+)/

/**
 * The newest question of the process that works on this session; null: none in this part of the log. Only the log shows
 * that OpenCode asks for a permission, and only by run (process), not by session.
 */
export function lastAsking(logText: string, sessionId: string): Asking | null {
  const lines = logText.split('\n')
  const ours = lines.findLast((line) => line.includes(sessionId))
  const run = ours && /\brun=(\S+)/.exec(ours)?.[1]
  if (!run) return null
  for (const line of lines.reverse()) {
    const [, timestamp, ofRun, permission] = ASKING.exec(line) ?? []
    if (ofRun !== run) continue
    const at = Date.parse(timestamp!)
    return Number.isNaN(at) ? null : { at, permission: permission! }
  }
  return null
}

interface OpencodeTurn {
  event: TurnEvent
  /** Running tools, including those of its subagents: one of them may be waiting for a permission. */
  running: RunningTool[]
  /** A permission was refused, which ends the turn; a message that comes before that is over is never answered. */
  isEnding: boolean
}

interface RunningTool {
  tool: string
  /** A permission question comes after this; work after the answer changes it. */
  updatedAt: number
  /** 1: it has output already, so it was allowed to run. With `--auto`, OpenCode asks and answers itself. */
  hasBegun: number
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

/** Damaged records are skipped, and only what is needed is extracted: the records may contain whole diffs. */
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
    json_extract(data, '$.state.metadata') IS NOT NULL AS hasBegun, json_extract(data, '$.state.status') AS status, json_extract(data, '$.state.error') AS error
  FROM part WHERE message_id = ? AND json_valid(data) AND json_extract(data, '$.type') = 'tool'
  ORDER BY id DESC LIMIT 50`

const TOOLS_OF_SUBAGENTS = `
  SELECT json_extract(part.data, '$.tool') AS tool, part.time_updated AS updatedAt,
    json_extract(part.data, '$.state.metadata') IS NOT NULL AS hasBegun
  FROM session JOIN part ON part.session_id = session.id
  WHERE session.parent_id = ? AND part.time_created >= ? AND json_valid(part.data)
    AND json_extract(part.data, '$.type') = 'tool' AND json_extract(part.data, '$.state.status') = 'running'
  ORDER BY part.time_updated DESC LIMIT 50`

interface ToolRow extends RunningTool {
  status: string | null
  error: string | null
}

/** The newest turn of a session in the database, and its running tools. */
function readTurn(database: Database, sessionId: string): OpencodeTurn | null {
  const messages = database.prepare<[string], MessageRow>(MESSAGES).all(sessionId)
  const assistant = messages.find(({ role }) => role === 'assistant')
  const tools = assistant ? database.prepare<[string], ToolRow>(TOOLS).all(assistant.id) : []
  const newest = messages[0] && assistant && isLeft(messages[0], assistant, tools) ? assistant : messages[0]
  if (!newest) return null
  const isAtWork = assistant !== undefined && assistant.completedAt === null
  const running = isAtWork ? runningTools(database, sessionId, assistant, tools) : []
  const event = turnEvent(newest, tools, lastChange(database, sessionId, newest))
  return { event, running, isEnding: isAtWork && wasRefused(tools) }
}

/** A message that came during a turn which was interrupted, refused or failed stays until the next one; nothing works on it. */
function isLeft(newest: MessageRow, assistant: MessageRow, tools: ToolRow[]): boolean {
  if (newest.role === 'assistant' || (assistant.errorName === null && !wasRefused(tools))) return false
  return assistant.completedAt !== null && assistant.completedAt >= newest.createdAt
}

function wasRefused(tools: ToolRow[]): boolean {
  return tools.some(({ error }) => error?.includes('rejected permission'))
}

/** It asks the model again after these. */
const CONTINUES = ['tool-calls', 'unknown']
/** Before it completes the answer it takes a snapshot of the workspace, which takes long on a busy machine; no error follows. */
const LAST = ['stop', 'length']

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
  // Some models give such a reason although they call a tool.
  const isOver = newest.completedAt !== null || (tools.length === 0 && LAST.includes(newest.finish ?? ''))
  if (!isOver) return { kind: 'working', at, evidence: 'opencode: its answer is not complete' }
  if (!CONTINUES.includes(newest.finish ?? '')) {
    return { kind: 'finished', at: ended, evidence: `opencode: its turn ended (${newest.finish ?? 'no reason given'})` }
  }
  if (wasRefused(tools)) {
    return { kind: 'finished', at: ended, evidence: 'opencode: a permission was refused' }
  }
  return { kind: 'working', at, evidence: 'opencode: between two steps' }
}

function runningTools(database: Database, sessionId: string, assistant: MessageRow, tools: ToolRow[]): RunningTool[] {
  const own = tools.filter(({ status }) => status === 'running')
  if (own.length === 0) return []
  const children = database.prepare<[string, number], RunningTool>(TOOLS_OF_SUBAGENTS)
  return [...own, ...children.all(sessionId, assistant.createdAt)].map(({ tool, updatedAt, hasBegun }) => ({
    tool,
    updatedAt,
    hasBegun,
  }))
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
