// Parses the records of a rollout: about the turn, and in one pass tokens by model, name, first prompt and last answer.
// Pure.

import {
  countField,
  type JsonObject,
  objectField,
  textField,
  textsField,
  timeField,
} from '../../core/text/json-fields.ts'
import type { Fold } from '../agent-files/fold-cache.ts'
import { addUsage, emptyUsage, type TokenUsage } from '../agent-files/prices.ts'
import { promptTitle } from '../agent-files/prompt-title.ts'
import { type Counted, NOTHING_COUNTED, noteMessage, usageOfModel } from '../agent-files/session-info.ts'
import { lastTurnIn, type TurnEvent } from '../agent-files/turn-event.ts'

/** Records of these kinds are written during a turn and say nothing else. */
const WORKING_ITEMS: ReadonlySet<string> = new Set([
  'reasoning',
  'function_call',
  'function_call_output',
  'custom_tool_call',
  'custom_tool_call_output',
  'local_shell_call',
  'web_search_call',
])

/** Older versions recorded these; 0.166 reports them only by its hook. */
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
 * For launches without hooks: a command that asked to run outside the sandbox and has no result. Not exact: a long-running
 * command that a rule allowed looks the same.
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
  return textsField(item, 'content')
}

/** Not its instructions, nor events that repeat a message. */
export function spokenIn({ type, payload }: JsonObject): unknown {
  const role = textField(payload, 'role')
  return type === 'response_item' && role !== 'developer' && role !== 'system' ? payload : null
}

function errorMessage(error: JsonObject): string {
  return (textField(error, 'message') ?? 'unknown error').slice(0, 200)
}

interface RolloutState extends Counted {
  /** The running total that Codex wrote last; its growth belongs to the model of that time. */
  lastTotal: TokenUsage
  /** The newest response already counted, once the rollout counts each of them: totals are then not needed. */
  lastResponse: string | null
  name: string | null
}

export const rolloutFold: Fold<RolloutState> = {
  rules: 'codex-rollout-1',
  start: () => ({ ...NOTHING_COUNTED, usage: {}, lastTotal: emptyUsage(), lastResponse: null, name: null }),
  step: (state, record) => {
    const payload = objectField(record, 'payload')
    if (record.type === 'turn_context') state.model = textField(payload, 'model') ?? state.model
    if (record.type === 'token_usage_record' && payload) takeResponse(state, payload)
    if (record.type !== 'event_msg' || !payload) return
    takeMessage(state, record, payload)
  },
  // Tool results are most of a rollout and irrelevant here.
  wants: (line) =>
    line.includes('"event_msg"') || line.includes('"turn_context"') || line.includes('"token_usage_record"'),
}

function takeMessage(state: RolloutState, record: JsonObject, payload: JsonObject): void {
  const type = textField(payload, 'type')
  if (type === 'token_count') takeTotal(state, objectField(objectField(payload, 'info'), 'total_token_usage'))
  if (type === 'thread_name_updated') state.name = textField(payload, 'thread_name') ?? state.name
  noteMessage(state, agentText(payload) ?? '')
  if (state.firstPrompt === null) state.firstPrompt = promptTitle(enteredText(record) ?? '') || null
}

/** Newer versions record the usage of every single response. */
function takeResponse(state: RolloutState, payload: JsonObject): void {
  const response = textField(payload, 'response_id')
  if (response === null || response === state.lastResponse) return
  state.lastResponse = response
  addUsage(usageOfModel(state, state.model), usageOf(objectField(payload, 'usage')))
}

/** Totals cover the whole thread. A smaller one started anew, so all of it is new. */
function takeTotal(state: RolloutState, total: JsonObject | null): void {
  if (!total || state.lastResponse !== null) return
  const now = usageOf(total)
  addUsage(usageOfModel(state, state.model), grownBy(state.lastTotal, now))
  state.lastTotal = now
}

/** OpenAI counts cached tokens as input too. */
function usageOf(usage: JsonObject | null): TokenUsage {
  const cached = countField(usage, 'cached_input_tokens')
  const written = countField(usage, 'cache_write_input_tokens')
  return {
    inputTokens: Math.max(0, countField(usage, 'input_tokens') - cached - written),
    outputTokens: countField(usage, 'output_tokens'),
    cacheReadTokens: cached,
    cacheWriteTokens: written,
    cacheWriteLongTokens: 0,
  }
}

function grownBy(before: TokenUsage, now: TokenUsage): TokenUsage {
  const keys = Object.keys(now) as Array<keyof TokenUsage>
  const began = keys.some((key) => now[key] < before[key]) ? emptyUsage() : before
  const growth = emptyUsage()
  for (const key of keys) growth[key] = now[key] - began[key]
  return growth
}

function agentText(payload: JsonObject): string | null {
  const type = textField(payload, 'type')
  if (type === 'task_complete') return textField(payload, 'last_agent_message')
  if (type === 'agent_message') return textField(payload, 'message')
  const item = objectField(payload, 'item')
  if (textField(item, 'type') !== 'AgentMessage') return null
  return textsField(item, 'content')
}
