// One event of a session's log as it is stored and sent. The agent's words are kept verbatim.
import type { Attachment } from './attachment.ts'
import type { Activity, PendingPermission, PrefaceKind, SessionFailure, SessionMeta } from './session-meta.ts'
import type { CancelReason, DecidedBy, TurnSource } from './session-terms.ts'

/**
 * An update of the agent, open on purpose: agents send kinds and fields that no schema knows yet. It is never trusted;
 * core/agh/transcript/read-update.ts and read-content.ts interpret it.
 */
export interface AcpUpdate {
  sessionUpdate?: unknown
  [key: string]: unknown
}

/** The content of each event type. */
export interface EventContents {
  user_message_echo: AcpUpdate
  agent_message: AcpUpdate
  thought: AcpUpdate
  tool_call: AcpUpdate
  tool_result: AcpUpdate
  plan: AcpUpdate
  usage: AcpUpdate
  /** Any other update of the agent, or a note about its connection. */
  system: AcpUpdate
  user_message: {
    text: string
    source: TurnSource
    /** The driver's name for it. */
    message_id?: string
    attachments?: Attachment[]
    /** Hashes of those that the agent got only a link to, because it takes no such content. */
    linked?: string[]
    /** The failed turn that this one repeats. */
    retries?: string | undefined
    /** What was sent before it, see core/agh/session/preface.ts. */
    preface?: Array<{ kind: PrefaceKind; text: string }>
  }
  /** It waited behind a turn, and its turn never comes. `id`: of its position in the queue. */
  prompt_withdrawn: { id: string; text: string; message_id?: string }
  /** It waits on with another text. */
  prompt_edited: { id: string; text: string; before: string; message_id?: string }
  permission: PermissionContent
  /** A standing answer of a person no longer holds. */
  permission_revoked: { request_id: string; rule: string }
  runtime_progress: { detail: string; activity: Activity }
  runtime_warning: { detail: string; activity: Activity }
  done: { stop_reason: string | null; usage: object | null; canceled_by: CancelReason | null }
  error: {
    error: string
    failure: SessionFailure | null
    /** The agent's code, when it refused the prompt. */
    code?: number | null
    stop_reason?: SessionMeta['stop_reason']
    repair?: true
  }
  session_started: {
    started_with: SessionMeta['started_with']
    acp_session_id: string | null
    mcp_servers?: string[]
    mcp_skipped?: string[]
  }
  session_stopped: Pick<SessionMeta, 'stop_reason' | 'stop_detail' | 'failure' | 'left_running'> & { repair?: true }
  store_salvaged: { kept_events: number; lost_events: number; damaged_file: string }
  /** In place of all events up to its own number, which were dropped to free the disk, and of files attached to them. */
  store_trimmed: { dropped_events: number; dropped_files: number; dropped_bytes: number }
}

/** A question, its answer, or a policy decision without a question. */
export interface PermissionContent extends Partial<Omit<PendingPermission, 'title'>> {
  title: string
  /** null: a person is asked. */
  decision: string | null
  decided_by?: DecidedBy
  /** The question whose answer covers this too. */
  granted_by?: string
  /** As the agent described it. */
  tool_call?: unknown
}

export type EventType = keyof EventContents

/** Types that contain an update of the agent. */
export type UpdateType =
  | 'user_message_echo'
  | 'agent_message'
  | 'thought'
  | 'tool_call'
  | 'tool_result'
  | 'plan'
  | 'usage'
  | 'system'

type Fallbacks = { [T in EventType]: T extends UpdateType ? Record<string, never> : Partial<EventContents[T]> }

/** Every type, with defaults for fields that a log of another version, or a damaged one, lacks. */
const FALLBACKS: Fallbacks = {
  user_message_echo: {},
  agent_message: {},
  thought: {},
  tool_call: {},
  tool_result: {},
  plan: {},
  usage: {},
  system: {},
  user_message: { text: '', source: 'user' },
  prompt_withdrawn: { id: '', text: '' },
  prompt_edited: { id: '', text: '', before: '' },
  permission: { title: '', decision: null },
  permission_revoked: { request_id: '', rule: '' },
  runtime_progress: { detail: '' },
  runtime_warning: { detail: '' },
  done: { stop_reason: null, usage: null, canceled_by: null },
  error: { error: 'the turn failed', failure: null },
  session_started: { started_with: 'new', acp_session_id: null },
  session_stopped: { stop_reason: null, stop_detail: null, failure: null },
  store_salvaged: { kept_events: 0, lost_events: 0, damaged_file: '' },
  store_trimmed: { dropped_events: 0, dropped_files: 0, dropped_bytes: 0 },
}

export const EVENT_TYPES = Object.keys(FALLBACKS) as [EventType, ...EventType[]]

/** After one of these a turn is over. */
export const TURN_ENDS: readonly EventType[] = ['done', 'error']

export interface EventRow {
  /** 1, 2, 3 … without gaps, also across resumes. */
  sequence: number
  /** null: it belongs to no turn. */
  turn_id: string | null
  /** May be one of a newer version, like everything read from a log. */
  type: EventType
  timestamp: string
  /** JSON text, never parsed on its way from the agent to a reader. */
  content: string
}

export type EventBody<T extends EventType = EventType> = { [K in T]: { type: K; content: EventContents[K] } }[T]

export type EventDraft<T extends EventType = EventType> = EventBody<T> & {
  turn_id: string | null
  /** The content as JSON text, if available. */
  json?: string | undefined
}

/** An event of an unknown type passes through unchanged: every reader has a branch for the rest. */
export type SessionEvent<T extends EventType = EventType> = EventBody<T> &
  Omit<EventRow, 'content' | 'type'> & { session_id: string }

/** Together with `parseSessionEvent` and `contentOf` the only module that defines the content of a stored event. */
export function toSessionEvent(sessionId: string, row: EventRow): SessionEvent {
  const { sequence, turn_id, type, timestamp } = row
  const content = complete(type, JSON.parse(row.content))
  return { sequence, session_id: sessionId, turn_id, type, timestamp, content } as SessionEvent
}

/** For one that was sent as text. */
export function parseSessionEvent(json: string): SessionEvent {
  const event = JSON.parse(json) as SessionEvent
  return { ...event, content: complete(event.type, event.content) } as SessionEvent
}

/** For a row whose type is known. */
export function contentOf<T extends EventType>(type: T, row: EventRow): EventContents[T] {
  return complete(type, JSON.parse(row.content)) as EventContents[T]
}

function complete(type: EventType, value: unknown): object {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  const content: Record<string, unknown> = isObject ? (value as Record<string, unknown>) : { value }
  for (const [key, fallback] of Object.entries(FALLBACKS[type] ?? {})) {
    if (content[key] === undefined) content[key] = fallback
  }
  return content
}

/** The same object as text, without parsing the content again. */
export function eventJson(sessionId: string, row: EventRow): string {
  const head = JSON.stringify({
    sequence: row.sequence,
    session_id: sessionId,
    turn_id: row.turn_id,
    type: row.type,
    timestamp: row.timestamp,
  })
  return `${head.slice(0, -1)},"content":${row.content}}`
}
