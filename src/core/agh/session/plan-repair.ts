// Which events are missing at the end of interrupted turns. Only a plan: nothing is truncated, deleted or renumbered.
import type { RepairAction, RepairIssue } from '../../../contract/agh/answers.ts'
import { type EventDraft, type EventRow, TURN_ENDS } from '../../../contract/agh/events.ts'
import type { SessionMeta } from '../../../contract/agh/session-meta.ts'

export interface RepairPlan {
  issues: RepairIssue[]
  actions: RepairAction[]
  drafts: EventDraft[]
}

interface TurnTrace {
  hasData: boolean
  ended: boolean
  openTools: Map<string, string>
}

export const INTERRUPTED_TOOL = 'The tool call was interrupted before its result was recorded.'
const INTERRUPTED_TURN = 'The session was interrupted before the turn ended.'

export function planRepair(meta: SessionMeta, rows: readonly EventRow[]): RepairPlan {
  const plan: RepairPlan = { issues: [], actions: [], drafts: [] }
  if (meta.state !== 'stopped') {
    return refused(plan, 'session_not_stopped', `The session is ${meta.state}; a running one needs no repair`)
  }
  if (!auditSequence(rows, plan)) return plan
  const turns = traceTurns(rows, plan)
  if (turns === null) return plan
  for (const [turnId, trace] of turns) closeTurn(meta, turnId, trace, plan)
  if (plan.actions.length === 0) note(plan, 'nothing_to_repair', 'Every turn has its end')
  return plan
}

function closeTurn(meta: SessionMeta, turnId: string, trace: TurnTrace, plan: RepairPlan): void {
  for (const [callId, title] of trace.openTools) {
    plan.actions.push({ code: 'append_interrupted_tool_result', turn_id: turnId, tool_call_id: callId })
    plan.drafts.push({ turn_id: turnId, type: 'tool_result', content: interruptedResult(callId, title) })
  }
  if (trace.ended || !trace.hasData) return
  plan.actions.push({ code: 'append_terminal_error', turn_id: turnId })
  plan.drafts.push({
    turn_id: turnId,
    type: 'error',
    content: { error: INTERRUPTED_TURN, repair: true, stop_reason: meta.stop_reason, failure: meta.failure },
  })
}

/** In the shape of the agent's own update, so that a reader needs no second case. */
function interruptedResult(callId: string, title: string): Record<string, unknown> {
  return {
    sessionUpdate: 'tool_call_update',
    toolCallId: callId,
    title,
    status: 'failed',
    content: [{ type: 'content', content: { type: 'text', text: INTERRUPTED_TOOL } }],
    _meta: { agh: { repair: true } },
  }
}

/** null: the history holds something that must not be built upon. */
function traceTurns(rows: readonly EventRow[], plan: RepairPlan): Map<string, TurnTrace> | null {
  const turns = new Map<string, TurnTrace>()
  for (const row of rows) {
    if (row.turn_id === null) continue
    const content = parseContent(row.content)
    if (content === null) {
      refused(plan, 'invalid_event_json', `Event ${row.sequence} is no JSON object`)
      return null
    }
    const trace = turns.get(row.turn_id) ?? { hasData: false, ended: false, openTools: new Map() }
    turns.set(row.turn_id, trace)
    trace.hasData = true
    if (TURN_ENDS.includes(row.type)) trace.ended = true
    followTool(row, content, trace, plan)
  }
  return turns
}

function followTool(row: EventRow, content: Record<string, unknown>, trace: TurnTrace, plan: RepairPlan): void {
  if (row.type !== 'tool_call' && row.type !== 'tool_result') return
  const callId = content.toolCallId
  if (typeof callId !== 'string') {
    const detail = `Event ${row.sequence} is a tool call without an id`
    plan.issues.push({ code: 'tool_call_without_id', severity: 'warning', turn_id: row.turn_id!, detail })
    return
  }
  if (row.type === 'tool_result') trace.openTools.delete(callId)
  else
    trace.openTools.set(
      callId,
      typeof content.title === 'string' ? content.title : (trace.openTools.get(callId) ?? callId),
    )
}

function auditSequence(rows: readonly EventRow[], plan: RepairPlan): boolean {
  for (let index = 1; index < rows.length; index++) {
    const before = rows[index - 1]!.sequence
    const here = rows[index]!.sequence
    if (here <= before) {
      refused(plan, 'event_sequence_regression', `Event ${here} follows ${before}`)
      return false
    }
    if (here > before + 1) {
      plan.issues.push({
        code: 'event_sequence_gap',
        severity: 'warning',
        detail: `Events ${before + 1} to ${here - 1} are missing`,
      })
    }
  }
  return true
}

function parseContent(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null
  } catch {
    // Damaged content is an answer of its own here.
    return null
  }
}

function refused(plan: RepairPlan, code: string, detail: string): RepairPlan {
  plan.issues.push({ code, severity: 'error', detail })
  return plan
}

function note(plan: RepairPlan, code: string, detail: string): void {
  plan.issues.push({ code, severity: 'info', detail })
}
