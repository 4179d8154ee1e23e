// Parses the lines of a Gemini chat: about the turn, and in one pass tokens by model, first prompt, summary, last answer.
// Pure. Other lines: the header, and `$set` lines that rewrite earlier content.

import {
  countField,
  type JsonObject,
  listField,
  objectField,
  textField,
  textsField,
  timeField,
} from '../../core/text/json-fields.ts'
import type { Fold } from '../agent-files/fold-cache.ts'
import { emptyUsage, type TokenUsage } from '../agent-files/prices.ts'
import { promptTitle } from '../agent-files/prompt-title.ts'
import { type Counted, countAnswer, NOTHING_COUNTED } from '../agent-files/session-info.ts'
import { lastTurnIn, type RecordedTurn } from '../agent-files/turn-event.ts'

/** The newest line about the turn. */
export function lastChatEvent(records: readonly JsonObject[]): RecordedTurn | null {
  return lastTurnIn(records, chatEvent)
}

/** What a person or ao entered; null for everything else that is filed under the user. */
export function enteredText(record: JsonObject): string | null {
  if (record.type !== 'user') return null
  const isShown = listField(record, 'displayContent').some((part) => textField(part, 'text') !== null)
  const text = textsField(record, isShown ? 'displayContent' : 'content')
  return text === '' || text.startsWith('<session_context>') ? null : text
}

/** What its tools answered is with their calls, and once more under the user. */
export function spokenIn(record: JsonObject): unknown {
  const entered = enteredText(record)
  if (entered !== null) return { text: entered }
  const { type, content, toolCalls } = record
  return type === 'gemini' ? { content, toolCalls } : null
}

function chatEvent(record: JsonObject): RecordedTurn | null {
  const at = timeField(record, 'timestamp')
  if (!at) return null
  const make = (kind: RecordedTurn['kind'], what: string, more: Partial<RecordedTurn> = {}): RecordedTurn => ({
    kind,
    at,
    evidence: `gemini: ${what}`,
    mayWait: false,
    ...more,
  })
  switch (record.type) {
    case 'user':
      if (listField(record, 'content').some(isToolResult)) return make('working', 'a tool has answered')
      return enteredText(record) === null ? null : make('working', 'a message to it is newest')
    case 'gemini':
      return answerEvent(record, make)
    case 'error':
      return make('failed', (textField(record, 'content') ?? 'an error').slice(0, 200))
    case 'info':
      // Other notes accompany events and do not end them.
      return /cancelled|halted/i.test(textField(record, 'content') ?? '')
        ? make('finished', 'the turn was stopped')
        : null
    default:
      return null
  }
}

type Make = (kind: RecordedTurn['kind'], what: string, more?: Partial<RecordedTurn>) => RecordedTurn

function answerEvent(record: JsonObject, make: Make): RecordedTurn {
  const tools = listField(record, 'toolCalls')
  if (tools.length === 0) {
    const isSpoken = hasText(record)
    // Its tools are recorded only when they are finished, so text may be followed by a running tool.
    return isSpoken
      ? make('finished', 'its answer is complete', { mayWait: true })
      : make('working', 'a tool has not answered yet', { mayWait: true })
  }
  if (tools.some((tool) => textField(tool, 'status') === 'cancelled')) return make('finished', 'a tool was refused')
  const times = tools.flatMap((tool) => timeField(tool, 'timestamp')?.getTime() ?? [])
  return make('working', 'a tool has answered', times.length > 0 ? { at: new Date(Math.max(...times)) } : {})
}

/** A text, or in rewritten lines a list of parts. */
function answerText(record: JsonObject): string {
  return textField(record, 'content') ?? textsField(record, 'content')
}

function hasText(record: JsonObject): boolean {
  return answerText(record).trim() !== ''
}

function isToolResult(part: unknown): boolean {
  return typeof part === 'object' && part !== null && 'functionResponse' in part
}

interface ChatState extends Counted {
  /** The answer counted last: it is written a second time when its tools are finished. */
  lastAnswer: string | null
  summary: string | null
}

export const chatFold: Fold<ChatState> = {
  rules: 'gemini-chat-1',
  start: () => ({ ...NOTHING_COUNTED, usage: {}, lastAnswer: null, summary: null }),
  step: (state, record) => {
    if (record.type === 'gemini') takeAnswer(state, record)
    state.summary = textField(objectField(record, '$set'), 'summary') ?? state.summary
    state.firstPrompt ??= promptTitle(enteredText(record) ?? '') || null
  },
}

function takeAnswer(state: ChatState, record: JsonObject): void {
  const id = textField(record, 'id')
  const tokens = objectField(record, 'tokens')
  const isCounted = !tokens || (id !== null && id === state.lastAnswer)
  if (!isCounted) state.lastAnswer = id
  const usage = isCounted ? null : usageOf(tokens)
  countAnswer(state, { model: textField(record, 'model'), usage, text: answerText(record) })
}

/** Gemini counts cached tokens as input too; thinking is billed as output. */
function usageOf(tokens: JsonObject): TokenUsage {
  const cached = countField(tokens, 'cached')
  return {
    ...emptyUsage(),
    inputTokens: Math.max(0, countField(tokens, 'input') - cached) + countField(tokens, 'tool'),
    outputTokens: countField(tokens, 'output') + countField(tokens, 'thoughts'),
    cacheReadTokens: cached,
  }
}
