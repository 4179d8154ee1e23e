// One pass over a transcript: tokens by model, title, first prompt, last answer. Pure steps over plain JSON state.

import { emptyUsage, type TokenUsage } from '../agent-files/cost/prices.ts'
import type { Fold } from '../agent-files/fold-cache.ts'
import { countField, listField, objectField, textField } from '../agent-files/json-fields.ts'
import type { JsonObject } from '../agent-files/read-jsonl.ts'
import { isLocalCommand, promptText } from './transcript-events.ts'

export interface TranscriptState {
  sessionId: string | null
  /** Of the agent itself. */
  usage: Record<string, TokenUsage>
  /** Of sub-agents that older versions wrote into the same file. */
  sideUsage: Record<string, TokenUsage>
  /** The newest messages already counted: streaming repeats a message once per block. */
  counted: Array<{ id: string; usage: TokenUsage }>
  /** What Claude itself says a model has cost, and for how many tokens. */
  ownCosts: Record<string, { usage: TokenUsage; costUsd: number }>
  model: string | null
  title: string | null
  givenTitle: string | null
  firstPrompt: string | null
  lastMessage: string | null
}

const MAX_COUNTED = 64
const MAX_MESSAGE_CHARS = 4_000
const MAX_PROMPT_CHARS = 200
/** Claude's name for messages it made up itself, such as API errors. */
const NO_MODEL = '<synthetic>'

export const transcriptFold: Fold<TranscriptState> = {
  rules: 'claude-transcript-1',
  start: () => ({
    sessionId: null,
    usage: {},
    sideUsage: {},
    counted: [],
    ownCosts: {},
    model: null,
    title: null,
    givenTitle: null,
    firstPrompt: null,
    lastMessage: null,
  }),
  step: (state, record) => {
    state.sessionId ??= textField(record, 'sessionId')
    switch (record.type) {
      case 'assistant':
        return takeAssistant(state, record)
      case 'user':
        return takePrompt(state, record)
      case 'cost-state':
        return takeOwnCosts(state, record)
      case 'summary':
        state.title = textField(record, 'summary') ?? state.title
        return
      case 'ai-title':
        state.title = textField(record, 'aiTitle') ?? state.title
        return
      case 'custom-title':
        state.givenTitle = textField(record, 'customTitle') ?? state.givenTitle
        return
    }
  },
  // Results of tools are most of a transcript and say nothing here.
  wants: (line) => {
    if (line.includes('"usage"') || line.includes('"cost-state"')) return true
    if (line.includes('"role":"user"')) return !line.includes('"tool_result"')
    return line.includes('"summary"') || line.includes('-title"')
  },
}

function takeAssistant(state: TranscriptState, record: JsonObject): void {
  const message = objectField(record, 'message')
  const model = textField(message, 'model')
  const isSide = record.isSidechain === true
  if (!isSide) takeLastMessage(state, message)
  if (model === null || model === NO_MODEL) return
  if (!isSide) state.model = model
  const totals = isSide ? state.sideUsage : state.usage
  totals[model] ??= emptyUsage()
  countOnce(state, totals[model], textField(message, 'id'), usageOf(message))
}

/** Later repeats of a message may know more tokens; only what is new is added. */
function countOnce(state: TranscriptState, total: TokenUsage, id: string | null, usage: TokenUsage): void {
  const known = id === null ? undefined : state.counted.find((one) => one.id === id)
  for (const key of Object.keys(usage) as Array<keyof TokenUsage>) {
    const more = Math.max(0, usage[key] - (known?.usage[key] ?? 0))
    total[key] += more
    if (known) known.usage[key] += more
  }
  if (known || id === null) return
  state.counted.push({ id, usage })
  if (state.counted.length > MAX_COUNTED) state.counted.shift()
}

function usageOf(message: JsonObject | null): TokenUsage {
  const usage = objectField(message, 'usage')
  return {
    inputTokens: countField(usage, 'input_tokens'),
    outputTokens: countField(usage, 'output_tokens'),
    cacheReadTokens: countField(usage, 'cache_read_input_tokens'),
    cacheWriteTokens: countField(usage, 'cache_creation_input_tokens'),
    cacheWriteLongTokens: countField(objectField(usage, 'cache_creation'), 'ephemeral_1h_input_tokens'),
  }
}

function takeLastMessage(state: TranscriptState, message: JsonObject | null): void {
  const texts = listField(message, 'content').filter((block) => textField(block, 'type') === 'text')
  const text = texts.map((block) => textField(block, 'text') ?? '').join('\n')
  if (text.trim() !== '') state.lastMessage = text.slice(0, MAX_MESSAGE_CHARS)
}

function takePrompt(state: TranscriptState, record: JsonObject): void {
  if (state.firstPrompt !== null || record.isMeta === true || record.isSidechain === true) return
  const text = promptText(record)?.trim()
  if (text && !isLocalCommand(text) && !text.startsWith('[Request')) state.firstPrompt = text.slice(0, MAX_PROMPT_CHARS)
}

function takeOwnCosts(state: TranscriptState, record: JsonObject): void {
  const models = objectField(record, 'modelUsage') ?? {}
  for (const [model, entry] of Object.entries(models)) {
    state.ownCosts[model] = {
      costUsd: countField(entry, 'costUSD'),
      usage: {
        inputTokens: countField(entry, 'inputTokens'),
        outputTokens: countField(entry, 'outputTokens'),
        cacheReadTokens: countField(entry, 'cacheReadInputTokens'),
        cacheWriteTokens: countField(entry, 'cacheCreationInputTokens'),
        cacheWriteLongTokens: countField(entry, 'cacheCreationEphemeral1hInputTokens'),
      },
    }
  }
}
