// Which events are missing at the end of interrupted turns. Only a plan: nothing is truncated, deleted or renumbered.
import type { RepairAction, RepairIssue } from '../../../contract/agh/answers.ts'
import { type EventDraft, type EventType, TURN_ENDS } from '../../../contract/agh/events.ts'
import type { SessionMeta } from '../../../contract/agh/session-meta.ts'
import { isWaitingPrompt, turnOfPrompt, type WaitingMessage } from '../session/waiting-prompt.ts'
import { interruptedResult } from './interrupted-tool.ts'

export interface RepairPlan {
  issues: RepairIssue[]
  actions: RepairAction[]
  drafts: EventDraft[]
  /** Prompts whose turn never came: each is recorded as undelivered and stops waiting. */
  undelivered: WaitingMessage[]
}

/** What a repair needs to know of an event. */
export interface OutlineRow {
  sequence: number
  turn_id: string | null
  type: EventType
  /** Its content is a JSON object. */
  is_sound: boolean
  /** For tool events. */
  tool_call_id: string | null
  title: string | null
}

/** What a repair needs to know of an event log, event by event: logs may be larger than memory. */
export interface Outline {
  lastSequence: number | null
  turns: Map<string, TurnTrace>
  issues: RepairIssue[]
  /** It contains an event that must not be built upon. */
  isBroken: boolean
}

interface TurnTrace {
  ended: boolean
  openTools: Map<string, string>
}

const INTERRUPTED_TURN = 'The session was interrupted before the turn ended.'

/** A failed session may have been interrupted. One that has been checked since needs no second check. */
export function mayNeedRepair(meta: SessionMeta): boolean {
  const hasFailed = meta.stop_reason === 'agent_crashed' || meta.stop_reason === 'error'
  return meta.state === 'stopped' && hasFailed && meta.checked_sequence !== meta.last_sequence
}

export function emptyOutline(): Outline {
  return { lastSequence: null, turns: new Map(), issues: [], isBroken: false }
}

/** Mutates the outline. */
export function foldOutline(outline: Outline, row: OutlineRow): void {
  if (outline.isBroken) return
  auditSequence(outline, row)
  if (outline.isBroken || row.turn_id === null) return
  if (!row.is_sound) {
    breakOff(outline, 'invalid_event_json', `The content of event ${row.sequence} is invalid JSON`)
    return
  }
  const trace = outline.turns.get(row.turn_id) ?? { ended: false, openTools: new Map<string, string>() }
  outline.turns.set(row.turn_id, trace)
  if (TURN_ENDS.includes(row.type)) trace.ended = true
  followTool(outline, row, trace)
}

/** `waiting`: prompts and messages that still wait for their turn. */
export function planRepair(meta: SessionMeta, outline: Outline, waiting: readonly WaitingMessage[] = []): RepairPlan {
  const plan: RepairPlan = { issues: [...outline.issues], actions: [], drafts: [], undelivered: [] }
  if (meta.state !== 'stopped') {
    const detail = `The session is ${meta.state}; a running one needs no repair`
    return { ...plan, issues: [{ code: 'session_not_stopped', severity: 'error', detail }] }
  }
  if (outline.isBroken) return plan
  for (const [turnId, trace] of outline.turns) closeTurn(meta, turnId, trace, plan)
  plan.undelivered = waiting.filter(isWaitingPrompt)
  for (const { id } of plan.undelivered) {
    plan.actions.push({ code: 'append_undelivered_prompt', turn_id: turnOfPrompt(id) })
  }
  if (plan.actions.length === 0) {
    plan.issues.push({ code: 'nothing_to_repair', severity: 'info', detail: 'Every turn has its end' })
  }
  return plan
}

function closeTurn(meta: SessionMeta, turnId: string, trace: TurnTrace, plan: RepairPlan): void {
  for (const [callId, title] of trace.openTools) {
    plan.actions.push({ code: 'append_interrupted_tool_result', turn_id: turnId, tool_call_id: callId })
    plan.drafts.push({ turn_id: turnId, type: 'tool_result', content: interruptedResult(callId, title, true) })
  }
  if (trace.ended) return
  plan.actions.push({ code: 'append_terminal_error', turn_id: turnId })
  plan.drafts.push({
    turn_id: turnId,
    type: 'error',
    content: { error: INTERRUPTED_TURN, repair: true, stop_reason: meta.stop_reason, failure: meta.failure },
  })
}

function followTool(outline: Outline, row: OutlineRow, trace: TurnTrace): void {
  if (row.type !== 'tool_call' && row.type !== 'tool_result') return
  const callId = row.tool_call_id
  if (callId === null) {
    const detail = `Event ${row.sequence} is a tool call without an id`
    outline.issues.push({ code: 'tool_call_without_id', severity: 'warning', turn_id: row.turn_id!, detail })
  } else if (row.type === 'tool_result') trace.openTools.delete(callId)
  else trace.openTools.set(callId, row.title ?? trace.openTools.get(callId) ?? callId)
}

function auditSequence(outline: Outline, { sequence }: OutlineRow): void {
  const before = outline.lastSequence
  outline.lastSequence = sequence
  if (before === null || sequence === before + 1) return
  if (sequence <= before) breakOff(outline, 'event_sequence_regression', `Event ${sequence} follows ${before}`)
  else {
    const detail = `Events ${before + 1} to ${sequence - 1} are missing`
    outline.issues.push({ code: 'event_sequence_gap', severity: 'warning', detail })
  }
}

function breakOff(outline: Outline, code: string, detail: string): void {
  outline.issues.push({ code, severity: 'error', detail })
  outline.isBroken = true
}
