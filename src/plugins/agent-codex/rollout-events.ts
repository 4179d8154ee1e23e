// What one record of a Codex rollout says about the turn. Pure.
import { listField, objectField, textField, timeField } from '../agent-files/json-fields.ts'
import type { JsonObject } from '../agent-files/read-jsonl.ts'
import { lastTurnIn, type TurnEvent } from '../agent-files/turn-event.ts'

/** Records of these kinds are written while a turn runs and say nothing else. */
const WORKING_ITEMS: ReadonlySet<string> = new Set([
  'reasoning',
  'function_call',
  'function_call_output',
  'custom_tool_call',
  'custom_tool_call_output',
  'local_shell_call',
  'web_search_call',
])

/** Older versions wrote these down; 0.166 tells it only by its hook. */
const APPROVAL_EVENTS: ReadonlySet<string> = new Set([
  'exec_approval_request',
  'apply_patch_approval_request',
  'elicitation_request',
  'request_user_input',
])

/** A call that Codex answers only after the user did. */
const QUESTION_CALL = 'request_user_input'

export function lastRolloutEvent(records: readonly JsonObject[]): TurnEvent | null {
  return lastTurnIn(records, rolloutEvent)
}

function rolloutEvent(record: JsonObject): TurnEvent | null {
  const at = timeField(record, 'timestamp')
  const payload = objectField(record, 'payload')
  if (!at || !payload) return null
  if (record.type === 'event_msg') return messageEvent(payload, at)
  if (record.type === 'response_item') return itemEvent(payload, at)
  return null
}

function messageEvent(payload: JsonObject, at: Date): TurnEvent | null {
  const type = textField(payload, 'type') ?? ''
  if (APPROVAL_EVENTS.has(type)) return { kind: 'waiting', at, evidence: `the rollout ends with ${type}` }
  switch (type) {
    case 'task_started':
    case 'turn_started':
      return { kind: 'working', at, evidence: 'the rollout shows a turn that has not ended' }
    case 'task_complete':
    case 'turn_complete': {
      const error = objectField(payload, 'error')
      if (!error) return { kind: 'finished', at, evidence: 'the rollout ends with a finished turn' }
      return { kind: 'failed', at, evidence: `the rollout ends with an error: ${errorMessage(error)}` }
    }
    case 'turn_aborted':
      return { kind: 'finished', at, evidence: 'the user interrupted the turn' }
    case 'error':
      return { kind: 'failed', at, evidence: `the rollout ends with an error: ${errorMessage(payload)}` }
    case 'item_completed':
    case 'item_started':
    case 'stream_error':
    case 'user_message':
    case 'agent_reasoning':
      return { kind: 'working', at, evidence: 'the rollout shows a turn that has not ended' }
    default:
      return null
  }
}

function itemEvent(payload: JsonObject, at: Date): TurnEvent | null {
  const type = textField(payload, 'type') ?? ''
  if (!WORKING_ITEMS.has(type)) return null
  if (type === 'function_call' && textField(payload, 'name') === QUESTION_CALL) {
    return { kind: 'waiting', at, evidence: 'the rollout ends with a question to the user' }
  }
  return { kind: 'working', at, evidence: 'the rollout shows a turn that has not ended' }
}

/**
 * For launches without hooks: a command that was asked to run outside the sandbox and has no result. Not exact: a
 * command that a rule allowed and that runs for long looks the same.
 */
export function pendingEscalation(records: readonly JsonObject[]): TurnEvent | null {
  const answered = new Set<string>()
  for (let index = records.length - 1; index >= 0; index--) {
    const record = records[index]!
    const payload = objectField(record, 'payload')
    const type = textField(payload, 'type')
    if (type === 'task_started' || type === 'task_complete' || type === 'turn_aborted') return null
    const callId = textField(payload, 'call_id') ?? ''
    if (type === 'function_call_output') answered.add(callId)
    if (type !== 'function_call' || answered.has(callId)) continue
    const at = timeField(record, 'timestamp')
    if (at && (textField(payload, 'arguments') ?? '').includes('"require_escalated"')) {
      return {
        kind: 'waiting',
        at,
        evidence: 'a command outside the sandbox has no result: it probably waits for approval',
      }
    }
  }
  return null
}

/** The text that a person (or ao) entered, from either of the two records Codex writes for it. */
export function enteredText(record: JsonObject): string | null {
  const payload = objectField(record, 'payload')
  if (record.type !== 'event_msg') return null
  if (textField(payload, 'type') === 'user_message') return textField(payload, 'message')
  const item = objectField(payload, 'item')
  if (textField(item, 'type') !== 'UserMessage') return null
  return listField(item, 'content')
    .flatMap((part) => textField(part, 'text') ?? [])
    .join('\n')
}

function errorMessage(error: JsonObject): string {
  return (textField(error, 'message') ?? 'unknown error').slice(0, 200)
}
