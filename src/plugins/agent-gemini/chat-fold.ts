// One pass over a chat: tokens by model, first prompt, summary, last answer. Pure steps over plain JSON state.

import { addUsage, emptyUsage, type TokenUsage } from '../agent-files/cost/prices.ts'
import type { Fold } from '../agent-files/fold-cache.ts'
import { countField, objectField, textField } from '../agent-files/json-fields.ts'
import { promptTitle } from '../agent-files/prompt-title.ts'
import type { JsonObject } from '../agent-files/read-jsonl.ts'
import { answerText, enteredText } from './chat-records.ts'

export interface ChatState {
  model: string | null
  usage: Record<string, TokenUsage>
  /** The answer counted last: it is written a second time when its tools are through. */
  lastAnswer: string | null
  summary: string | null
  firstPrompt: string | null
  lastMessage: string | null
}

const MAX_MESSAGE_CHARS = 4_000

export const chatFold: Fold<ChatState> = {
  rules: 'gemini-chat-1',
  start: () => ({ model: null, usage: {}, lastAnswer: null, summary: null, firstPrompt: null, lastMessage: null }),
  step: (state, record) => {
    if (record.type === 'gemini') takeAnswer(state, record)
    state.summary = textField(objectField(record, '$set'), 'summary') ?? state.summary
    state.firstPrompt ??= promptTitle(enteredText(record) ?? '') || null
  },
}

function takeAnswer(state: ChatState, record: JsonObject): void {
  const text = answerText(record).trim()
  if (text !== '') state.lastMessage = text.slice(0, MAX_MESSAGE_CHARS)
  const id = textField(record, 'id')
  const tokens = objectField(record, 'tokens')
  const model = textField(record, 'model')
  state.model = model ?? state.model
  if (!tokens || (id !== null && id === state.lastAnswer)) return
  state.lastAnswer = id
  const ofModel = model ?? 'unknown'
  state.usage[ofModel] ??= emptyUsage()
  addUsage(state.usage[ofModel], usageOf(tokens))
}

/** Gemini counts what came from the cache as input too; thinking is billed as output. */
function usageOf(tokens: JsonObject): TokenUsage {
  const cached = countField(tokens, 'cached')
  return {
    ...emptyUsage(),
    inputTokens: Math.max(0, countField(tokens, 'input') - cached) + countField(tokens, 'tool'),
    outputTokens: countField(tokens, 'output') + countField(tokens, 'thoughts'),
    cacheReadTokens: cached,
  }
}
