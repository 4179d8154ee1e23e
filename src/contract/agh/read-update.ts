// What an ACP update becomes in the event log. Nothing is dropped: the update itself is the content.

import type { AcpUpdate, EventContents, UpdateType } from './events.ts'

const TYPES: Readonly<Record<string, UpdateType>> = {
  user_message_chunk: 'user_message_echo',
  agent_message_chunk: 'agent_message',
  agent_thought_chunk: 'thought',
  tool_call: 'tool_call',
  plan: 'plan',
  usage_update: 'usage',
}

export function eventTypeOf(update: AcpUpdate): UpdateType {
  if (update.sessionUpdate === 'tool_call_update') return isFinished(update.status) ? 'tool_result' : 'tool_call'
  // A call may already be finished in its first message.
  if (update.sessionUpdate === 'tool_call' && isFinished(update.status)) return 'tool_result'
  const kind = String(update.sessionUpdate)
  // `constructor` is a key of every object.
  return Object.hasOwn(TYPES, kind) ? TYPES[kind]! : 'system'
}

/** The text of a message chunk; null for anything that is not text. */
export function textOf(update: Record<string, unknown>): string | null {
  const content = update.content as { type?: unknown; text?: unknown } | undefined
  return content?.type === 'text' && typeof content.text === 'string' ? content.text : null
}

export function toolCallId(update: Record<string, unknown>): string | null {
  return typeof update.toolCallId === 'string' ? update.toolCallId : null
}

export function toolTitle(update: Record<string, unknown>): string | null {
  return (
    ([update.title, update.name, update.kind].find((one) => typeof one === 'string' && one !== '') as string) ?? null
  )
}

function isFinished(status: unknown): boolean {
  return status === 'completed' || status === 'failed'
}

export function trimmedText({ dropped_events, dropped_files }: EventContents['store_trimmed']): string {
  const files = dropped_files > 0 ? ` and ${dropped_files} attached files` : ''
  return `the first ${dropped_events} events${files} were dropped to free the disk`
}
