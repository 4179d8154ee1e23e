// One pass over a rollout: tokens by model, first prompt, name, last answer. Pure steps over plain JSON state.

import { addUsage, emptyUsage, type TokenUsage } from '../agent-files/cost/prices.ts'
import type { Fold } from '../agent-files/fold-cache.ts'
import { countField, listField, objectField, textField } from '../agent-files/json-fields.ts'
import type { JsonObject } from '../agent-files/read-jsonl.ts'
import { enteredText } from './rollout-events.ts'

export interface RolloutState {
  model: string | null
  usage: Record<string, TokenUsage>
  /** The running total that Codex wrote last; what it grew by belongs to the model of that time. */
  lastTotal: TokenUsage
  /** The newest response already counted, once the rollout counts each of them: totals are then not needed. */
  lastResponse: string | null
  name: string | null
  firstPrompt: string | null
  lastMessage: string | null
}

const MAX_MESSAGE_CHARS = 4_000
const MAX_PROMPT_CHARS = 200
const UNKNOWN_MODEL = 'unknown'

export const rolloutFold: Fold<RolloutState> = {
  rules: 'codex-rollout-1',
  start: () => ({
    model: null,
    usage: {},
    lastTotal: emptyUsage(),
    lastResponse: null,
    name: null,
    firstPrompt: null,
    lastMessage: null,
  }),
  step: (state, record) => {
    const payload = objectField(record, 'payload')
    if (record.type === 'turn_context') state.model = textField(payload, 'model') ?? state.model
    if (record.type === 'token_usage_record' && payload) takeResponse(state, payload)
    if (record.type !== 'event_msg' || !payload) return
    takeMessage(state, record, payload)
  },
  // Results of tools are most of a rollout and say nothing here.
  wants: (line) =>
    line.includes('"event_msg"') || line.includes('"turn_context"') || line.includes('"token_usage_record"'),
}

function takeMessage(state: RolloutState, record: JsonObject, payload: JsonObject): void {
  const type = textField(payload, 'type')
  if (type === 'token_count') takeTotal(state, objectField(objectField(payload, 'info'), 'total_token_usage'))
  if (type === 'thread_name_updated') state.name = textField(payload, 'thread_name') ?? state.name
  const said = agentText(payload)
  if (said) state.lastMessage = said.slice(0, MAX_MESSAGE_CHARS)
  if (state.firstPrompt === null) state.firstPrompt = enteredText(record)?.trim().slice(0, MAX_PROMPT_CHARS) || null
}

/** Newer versions write down what every single response used. */
function takeResponse(state: RolloutState, payload: JsonObject): void {
  const response = textField(payload, 'response_id')
  if (response === null || response === state.lastResponse) return
  state.lastResponse = response
  addUsage(usageOfModel(state), usageOf(objectField(payload, 'usage')))
}

/** Totals are of the whole thread. One that shrank began anew, so all of it is new. */
function takeTotal(state: RolloutState, total: JsonObject | null): void {
  if (!total || state.lastResponse !== null) return
  const now = usageOf(total)
  addUsage(usageOfModel(state), grownBy(state.lastTotal, now))
  state.lastTotal = now
}

function usageOfModel(state: RolloutState): TokenUsage {
  const model = state.model ?? UNKNOWN_MODEL
  state.usage[model] ??= emptyUsage()
  return state.usage[model]
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
  return listField(item, 'content')
    .flatMap((part) => textField(part, 'text') ?? [])
    .join('\n')
}
