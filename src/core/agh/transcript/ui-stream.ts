// A session's events as parts of the AI SDK's UI message stream (version 1): each turn is one message of the assistant.
import type { SessionEvent } from '../../../contract/agh/events.ts'
import { textOf, toolCallId, toolTitle } from '../../../contract/agh/read-update.ts'
import { isObject } from '../../text/json-fields.ts'
import { type Json, outputOf } from './read-content.ts'

export interface UiStream {
  /** The turn whose message is open. */
  turnId: string | null
  /** The growing text or reasoning part; only one at a time. */
  block: { kind: 'text' | 'reasoning'; id: string } | null
  blocks: number
  /** Tools of the open message, and whether their input was sent. */
  tools: Map<string, { name: string; hasInput: boolean }>
}

export type UiPart = { type: string } & Json

export function createUiStream(): UiStream {
  return { turnId: null, block: null, blocks: 0, tools: new Map() }
}

/** Advances the stream by one event and returns the resulting parts. */
export function toUiParts(stream: UiStream, event: SessionEvent): UiPart[] {
  if (event.turn_id === null) return [...(stream.turnId === null ? [] : endBlock(stream)), note(event, true)]
  if (stream.turnId === event.turn_id) return partsOf(stream, event)
  // The rest of a turn whose end was already sent.
  if (event.type !== 'user_message' && stream.turnId === null && stream.blocks > 0) return [note(event, true)]
  return [...open(stream, event.turn_id), ...partsOf(stream, event)]
}

function open(stream: UiStream, turnId: string): UiPart[] {
  stream.turnId = turnId
  stream.block = null
  stream.blocks = 1
  stream.tools = new Map()
  return [{ type: 'start', messageId: turnId }]
}

function partsOf(stream: UiStream, event: SessionEvent): UiPart[] {
  if (event.type === 'user_message' || event.type === 'user_message_echo') return []
  if (event.type === 'agent_message' || event.type === 'thought') return speak(stream, event)
  const parts = endBlock(stream)
  if (event.type === 'tool_call') return [...parts, ...callTool(stream, event.content), note(event)]
  if (event.type === 'tool_result') {
    return [...parts, ...callTool(stream, event.content), ...endTool(stream, event.content)]
  }
  if (event.type === 'done' || event.type === 'error') return [...parts, ...endMessage(stream, event)]
  return [...parts, note(event)]
}

function speak(stream: UiStream, event: SessionEvent<'agent_message' | 'thought'>): UiPart[] {
  const kind = event.type === 'thought' ? 'reasoning' : 'text'
  const text = textOf(event.content)
  if (text === null) return [...endBlock(stream), fileOf(event.content.content) ?? note(event)]
  if (stream.block?.kind === kind) return [{ type: `${kind}-delta`, id: stream.block.id, delta: text }]
  const before = endBlock(stream)
  const id = `${stream.turnId}-${kind}-${stream.blocks++}`
  stream.block = { kind, id }
  return [...before, { type: `${kind}-start`, id }, { type: `${kind}-delta`, id, delta: text }]
}

function endBlock(stream: UiStream): UiPart[] {
  if (!stream.block) return []
  const { kind, id } = stream.block
  stream.block = null
  return [{ type: `${kind}-end`, id }]
}

function callTool(stream: UiStream, content: Json): UiPart[] {
  const id = toolCallId(content)
  if (id === null) return []
  const parts: UiPart[] = []
  const existing = stream.tools.get(id)
  const tool = existing ?? { name: toolName(content, id), hasInput: false }
  const head = { toolCallId: id, toolName: tool.name, dynamic: true }
  if (!existing) {
    stream.tools.set(id, tool)
    parts.push({ type: 'tool-input-start', ...head, ...titleOf(content) })
  }
  const input = content.rawInput
  if (!tool.hasInput && isObject(input) && Object.keys(input).length > 0) {
    tool.hasInput = true
    parts.push({ type: 'tool-input-available', ...head, input })
  }
  return parts
}

function endTool(stream: UiStream, content: Json): UiPart[] {
  const id = toolCallId(content)
  const tool = id === null ? undefined : stream.tools.get(id)
  if (id === null || !tool) return []
  const parts: UiPart[] = []
  // An output needs an input before it.
  if (!tool.hasInput) {
    tool.hasInput = true
    parts.push({ type: 'tool-input-available', toolCallId: id, toolName: tool.name, dynamic: true, input: {} })
  }
  const output = outputOf(Array.isArray(content.content) ? content.content : [])
  if (content.status === 'failed') {
    const errorText = output || String(content.error ?? 'it failed')
    return [...parts, { type: 'tool-output-error', toolCallId: id, errorText, dynamic: true }]
  }
  return [...parts, { type: 'tool-output-available', toolCallId: id, output: content, dynamic: true }]
}

function endMessage(stream: UiStream, { type, content }: SessionEvent<'done' | 'error'>): UiPart[] {
  stream.turnId = null
  if (type === 'error') {
    return [
      { type: 'error', errorText: content.error },
      { type: 'finish', finishReason: 'error', messageMetadata: { failure: content.failure } },
    ]
  }
  const { stop_reason, usage } = content
  return [{ type: 'finish', finishReason: finishReason(stop_reason), messageMetadata: { stop_reason, usage } }]
}

function finishReason(stopReason: string | null): string {
  if (stopReason === 'end_turn' || stopReason === null) return 'stop'
  if (stopReason === 'max_tokens') return 'length'
  return stopReason === 'refusal' ? 'content-filter' : 'other'
}

/** Anything that has no part of its own is sent as data; the same id replaces what was shown before. */
function note(event: SessionEvent, transient = false): UiPart {
  if (event.type === 'permission' && event.content.request_id !== undefined) {
    return { type: 'data-agh-permission', id: event.content.request_id, data: event }
  }
  const id = noteId(event)
  return { type: 'data-agh-event', id, data: event, ...(transient ? { transient } : {}) }
}

function noteId({ type, content, sequence }: SessionEvent): string {
  if (type === 'plan' || type === 'usage') return type
  const callId = type === 'tool_call' || type === 'tool_result' ? toolCallId(content) : null
  return callId ?? `event-${sequence}`
}

function fileOf(block: unknown): UiPart | null {
  if (!isObject(block) || typeof block.data !== 'string' || typeof block.mimeType !== 'string') return null
  return { type: 'file', url: `data:${block.mimeType};base64,${block.data}`, mediaType: block.mimeType }
}

function toolName(content: Json, id: string): string {
  const named = [content.name, content.kind].find((one) => typeof one === 'string' && one !== '')
  return String(named ?? toolTitle(content) ?? id)
}

function titleOf(content: Json): { title?: string } {
  return typeof content.title === 'string' ? { title: content.title } : {}
}
