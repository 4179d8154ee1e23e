// What the lines of a Gemini chat mean. Pure. Other lines: the header, and `$set` lines that rewrite what was there before.
import { listField, textField, timeField } from '../agent-files/json-fields.ts'
import type { JsonObject } from '../agent-files/read-jsonl.ts'
import { lastTurnIn, type TurnEvent } from '../agent-files/turn-event.ts'

export interface ChatEvent extends TurnEvent {
  /** A tool is about to run or waits for a permission: the chat does not say which. */
  mayWait: boolean
}

/** The newest line that tells something about the turn. */
export function lastChatEvent(records: readonly JsonObject[]): ChatEvent | null {
  return lastTurnIn(records, chatEvent)
}

/** What a person or ao entered; null for everything else that is filed as the user's. */
export function enteredText(record: JsonObject): string | null {
  if (record.type !== 'user') return null
  const parts = listField(record, 'content')
  const texts = parts.flatMap((part) => textField(part, 'text') ?? [])
  const shown = listField(record, 'displayContent').flatMap((part) => textField(part, 'text') ?? [])
  const text = (shown.length > 0 ? shown : texts).join('\n')
  return text === '' || text.startsWith('<session_context>') ? null : text
}

function chatEvent(record: JsonObject): ChatEvent | null {
  const at = timeField(record, 'timestamp')
  if (!at) return null
  const make = (kind: TurnEvent['kind'], what: string, more: Partial<ChatEvent> = {}): ChatEvent => ({
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
      // Other notes stand beside what happened and do not end it.
      return /cancelled|halted/i.test(textField(record, 'content') ?? '')
        ? make('finished', 'the turn was stopped')
        : null
    default:
      return null
  }
}

type Make = (kind: TurnEvent['kind'], what: string, more?: Partial<ChatEvent>) => ChatEvent

function answerEvent(record: JsonObject, make: Make): ChatEvent {
  const tools = listField(record, 'toolCalls')
  if (tools.length === 0) {
    const isSpoken = hasText(record)
    // Its tools are written down only when they are through, so words may have a tool behind them too.
    return isSpoken
      ? make('finished', 'its answer is complete', { mayWait: true })
      : make('working', 'a tool has not answered yet', { mayWait: true })
  }
  if (tools.some((tool) => textField(tool, 'status') === 'cancelled')) return make('finished', 'a tool was refused')
  const times = tools.flatMap((tool) => timeField(tool, 'timestamp')?.getTime() ?? [])
  return make('working', 'a tool has answered', times.length > 0 ? { at: new Date(Math.max(...times)) } : {})
}

/** A text, or in rewritten lines a list of parts. */
export function answerText(record: JsonObject): string {
  const text = textField(record, 'content')
  if (text !== null) return text
  return listField(record, 'content')
    .flatMap((part) => textField(part, 'text') ?? [])
    .join('\n')
}

function hasText(record: JsonObject): boolean {
  return answerText(record).trim() !== ''
}

function isToolResult(part: unknown): boolean {
  return typeof part === 'object' && part !== null && 'functionResponse' in part
}
