// One prompt turn as data: what happened in it (`evolveTurn`), and what its supervision has to do now (`supervise`).
import type { AcpUpdate } from '../../../contract/agh/events.ts'
import type { Activity } from '../../../contract/agh/session-meta.ts'
import type { CancelReason, TurnSource } from '../../../contract/agh/session-terms.ts'
import { eventTypeOf, toolCallId, toolTitle } from '../transcript/read-update.ts'
import { type BesideProtocol, besideAfter, NOTHING_BESIDE } from './beside-protocol.ts'

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

export function beginTurn(id: string, source: TurnSource, now: number): Turn {
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
