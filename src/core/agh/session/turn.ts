// One prompt turn as data: what happened in it (`evolveTurn`), what its supervision has to do now (`supervise`), what is left of
// it, and what some agents report during it outside the protocol: tokens, and that it failed. turn-end.ts says how it ends.
import type { AcpUpdate, EventBody } from '../../../contract/agh/events.ts'
import { eventTypeOf, toolCallId, toolTitle } from '../../../contract/agh/read-update.ts'
import type { Activity, SessionFailure, SessionMeta } from '../../../contract/agh/session-meta.ts'
import type { CancelReason, TurnSource } from '../../../contract/agh/session-terms.ts'
import { isObject } from '../../text/json-fields.ts'

export interface Turn {
  id: string
  source: TurnSource
  startedAt: number
  lastActivityAt: number
  lastActivityKind: string
  lastActivityDetail: string
  /** Tools that were called and have not ended, in call order. */
  openTools: ReadonlyMap<string, string>
  lastProgressAt: number | null
  warned: boolean
  cancel: { at: number; why: CancelReason } | null
  beside: BesideProtocol
}

/** Evidence that a silent turn is working. A live process alone is not evidence. */
export type Evidence = 'tool_running' | 'terminal_output' | 'permission_pending' | 'cpu_progress' | 'io_progress'

export type TurnInput =
  | { type: 'update'; update: AcpUpdate }
  | { type: 'heartbeat'; evidence: readonly Evidence[] }
  | { type: 'permission'; detail: string }
  /** Another daemon watches it from now on. */
  | { type: 'adopted' }
  | { type: 'progress_notified' }
  | { type: 'warned' }
  | { type: 'cancel_sent'; why: CancelReason }

export function newTurn(id: string, source: TurnSource, now: number): Turn {
  return {
    id,
    source,
    startedAt: now,
    lastActivityAt: now,
    lastActivityKind: 'prompt_started',
    lastActivityDetail: '',
    openTools: new Map(),
    lastProgressAt: null,
    warned: false,
    cancel: null,
    beside: NOTHING_BESIDE,
  }
}

export function evolveTurn(turn: Turn, input: TurnInput, now: number): Turn {
  switch (input.type) {
    case 'update':
      return {
        ...active(turn, eventTypeOf(input.update), toolTitle(input.update) ?? '', now),
        openTools: toolsAfter(turn, input.update),
        beside: besideAfter(turn.beside, input.update),
      }
    case 'heartbeat':
      return input.evidence.length === 0 ? turn : active(turn, 'waiting', input.evidence.join(', '), now)
    case 'permission':
      return active(turn, 'permission', input.detail, now)
    case 'adopted':
      return { ...turn, lastActivityAt: now, cancel: turn.cancel && { ...turn.cancel, at: now } }
    case 'progress_notified':
      return { ...turn, lastProgressAt: now }
    case 'warned':
      return { ...turn, warned: true }
    case 'cancel_sent':
      return turn.cancel ? turn : { ...turn, cancel: { at: now, why: input.why } }
  }
}

export interface SupervisionSettings {
  progressNotifyMs: number
  warningAfterMs: number
  timeoutMs: number
  cancelGraceMs: number
}

export type SupervisionAction = 'notify_progress' | 'warn' | 'cancel' | 'stop'

/** Judges inactivity, never the elapsed time. 0 turns a limit off. */
export function supervise(turn: Turn, settings: SupervisionSettings, now: number): SupervisionAction[] {
  if (turn.cancel) {
    const isLate = turn.cancel.why === 'inactivity' && now - turn.cancel.at >= settings.cancelGraceMs
    return isLate ? ['stop'] : []
  }
  const idle = now - turn.lastActivityAt
  const actions: SupervisionAction[] = []
  if (isDue(settings.progressNotifyMs, now - (turn.lastProgressAt ?? turn.startedAt))) actions.push('notify_progress')
  if (!turn.warned && isDue(settings.warningAfterMs, idle)) actions.push('warn')
  if (isDue(settings.timeoutMs, idle)) actions.push('cancel')
  return actions
}

export function activityOf(turn: Turn, now: number): Activity {
  const [callId, tool] = [...turn.openTools].at(-1) ?? [null, null]
  return {
    turn_id: turn.id,
    turn_source: turn.source,
    turn_started_at: iso(turn.startedAt),
    last_activity_at: iso(turn.lastActivityAt),
    last_activity_kind: turn.lastActivityKind,
    last_activity_detail: turn.lastActivityDetail,
    current_tool: tool,
    tool_call_id: callId,
    last_progress_at: turn.lastProgressAt === null ? null : iso(turn.lastProgressAt),
    idle_seconds: Math.floor((now - turn.lastActivityAt) / 1_000),
    elapsed_seconds: Math.floor((now - turn.startedAt) / 1_000),
  }
}

function active(turn: Turn, kind: string, detail: string, now: number): Turn {
  return { ...turn, lastActivityAt: now, lastActivityKind: kind, lastActivityDetail: detail.slice(0, 200) }
}

function toolsAfter(turn: Turn, update: AcpUpdate): ReadonlyMap<string, string> {
  const id = toolCallId(update)
  const type = eventTypeOf(update)
  if (id === null || (type !== 'tool_call' && type !== 'tool_result')) return turn.openTools
  const tools = new Map(turn.openTools)
  if (type === 'tool_result') tools.delete(id)
  else tools.set(id, toolTitle(update) ?? tools.get(id) ?? id)
  return tools
}

function isDue(limitMs: number, passedMs: number): boolean {
  return limitMs > 0 && passedMs >= limitMs
}

function iso(ms: number): string {
  return new Date(ms).toISOString()
}

export interface TurnEnd {
  /** The turn's last event. */
  event: EventBody<'done' | 'error'>
  /** The work of its tools is lost. */
  interrupted: boolean
  failure: SessionFailure | null
}

export function metaAfterTurn(turn: Turn, end: TurnEnd): Partial<SessionMeta> {
  return {
    activity: null,
    last_activity_at: new Date(turn.lastActivityAt).toISOString(),
    failure: end.failure,
    ...(end.event.type === 'done' ? { preface: [] } : {}),
  }
}

export interface BesideProtocol {
  /** Qwen Code: the sum of what its answers used; the response to the prompt itself does not say. */
  usage: Readonly<Record<string, number>> | null
  /** codex-acp: the turn failed, though it is reported as ended. */
  trouble: string | null
  /** Copilot CLI says in its last words that the turn failed, and reports it as ended. Absent in older bookmarks. */
  lastWords?: string | null
}

export const NOTHING_BESIDE: BesideProtocol = { usage: null, trouble: null }

export function besideAfter(before: BesideProtocol, update: AcpUpdate): BesideProtocol {
  const after = withLastText(before, update)
  const meta = isObject(update._meta) ? update._meta : null
  if (!meta) return after
  const usage = isObject(meta.usage) ? addCounts(before.usage, meta.usage) : before.usage
  const codex = isObject(meta.codex) ? meta.codex : null
  return { ...after, usage, trouble: codex ? troubleAfter(before.trouble, codex) : before.trouble }
}

const ERROR_TEXT = /^Error: \S/
/** Anything else that the agent does shows that it continued. */
const SAYS_NOTHING = ['usage_update', 'session_info_update', 'available_commands_update', 'config_option_update']

function withLastText(before: BesideProtocol, update: AcpUpdate): BesideProtocol {
  const kind = String(update.sessionUpdate)
  if (SAYS_NOTHING.includes(kind)) return before
  const content = kind === 'agent_message_chunk' && isObject(update.content) ? update.content : {}
  const text = typeof content.text === 'string' && ERROR_TEXT.test(content.text) ? content.text : null
  return text === (before.lastWords ?? null) ? before : { ...before, lastWords: text }
}

/** The words are in what it said last. */
export const TROUBLE = 'the agent reports an error'

function troubleAfter(before: string | null, { threadStatus, error }: Record<string, unknown>): string | null {
  if (isObject(threadStatus)) {
    if (threadStatus.type === 'systemError') return before ?? TROUBLE
    if (threadStatus.type === 'active') return null
  }
  const message = isObject(error) && typeof error.message === 'string' ? error.message : null
  // It retries on its own; only the status shows that it gave up.
  return before === TROUBLE && message !== null ? message : before
}

function addCounts(before: BesideProtocol['usage'], more: Record<string, unknown>): Record<string, number> {
  const sum: Record<string, number> = { ...before }
  for (const [key, value] of Object.entries(more)) {
    if (typeof value === 'number' && Number.isFinite(value)) sum[key] = (sum[key] ?? 0) + value
  }
  return sum
}
