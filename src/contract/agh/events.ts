// One line of a session's history as it is stored and sent. What the agent said is kept as it said it.

/** Types that come from the agent's updates hold the ACP update itself as their content. */
const UPDATE_TYPES = [
  'user_message_echo',
  'agent_message',
  'thought',
  'tool_call',
  'tool_result',
  'plan',
  'usage',
  'system',
] as const

export const EVENT_TYPES = [
  ...UPDATE_TYPES,
  'user_message',
  'permission',
  'runtime_progress',
  'runtime_warning',
  'done',
  'error',
  'session_started',
  'session_stopped',
  'store_salvaged',
] as const
export type EventType = (typeof EVENT_TYPES)[number]

/** After one of these a turn is over. */
export const TURN_ENDS: readonly EventType[] = ['done', 'error']

export interface EventRow {
  /** 1, 2, 3 … without gaps, also across resumes. */
  sequence: number
  /** null: it belongs to no turn. */
  turn_id: string | null
  type: EventType
  timestamp: string
  /** JSON text, never parsed on its way from the agent to a reader. */
  content: string
}

export interface EventDraft {
  turn_id: string | null
  type: EventType
  content: unknown
  /** The content as JSON text, when it is at hand. */
  json?: string
}

export interface SessionEvent extends Omit<EventRow, 'content'> {
  session_id: string
  content: Record<string, unknown>
}

export function toSessionEvent(sessionId: string, row: EventRow): SessionEvent {
  const { sequence, turn_id, type, timestamp } = row
  const content = JSON.parse(row.content) as Record<string, unknown>
  return { sequence, session_id: sessionId, turn_id, type, timestamp, content }
}

/** The same object as text, without reading the content again. */
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
