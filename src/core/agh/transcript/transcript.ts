// The conversation, folded from the event log: chunks joined, tools with their results, questions with their answers. The
// same fold serves a whole log and a reader that follows it live.
import { type EventRow, type SessionEvent, toSessionEvent } from '../../../contract/agh/events.ts'
import { textOf, toolCallId, toolTitle, trimmedText } from '../../../contract/agh/read-update.ts'
import type { StartMethod } from '../../../contract/agh/session-meta.ts'
import type {
  NoticeMessage,
  PermissionMessage,
  PlanMessage,
  SpokenMessage,
  ToolMessage,
  TranscriptMessage,
  TurnTokens,
  UsageMessage,
} from '../../../contract/agh/transcript.ts'
import { readInput, titleOf } from '../../queue/read-input.ts'
import { isObject } from '../../text/json-fields.ts'
import { attachmentOf, diffsOf, imagesIn, type Json, locationsOf, outputOf } from './read-content.ts'

export interface Transcript {
  messages: TranscriptMessage[]
  lastSequence: number
  /** Calls, questions and usage that later events still change. */
  open: Map<string, TranscriptMessage>
}

export function emptyTranscript(): Transcript {
  return { messages: [], lastSequence: 0, open: new Map() }
}

export function buildTranscript(rows: readonly EventRow[]): TranscriptMessage[] {
  const transcript = emptyTranscript()
  for (const row of rows) foldEvent(transcript, toSessionEvent('', row))
  return transcript.messages
}

/**
 * Mutates the transcript and returns the message that the event added or changed; null when it shows nothing. An event that
 * was already folded is skipped, so a reader may pass some twice.
 */
export function foldEvent(transcript: Transcript, event: SessionEvent): TranscriptMessage | null {
  if (event.sequence <= transcript.lastSequence) return null
  transcript.lastSequence = event.sequence
  switch (event.type) {
    case 'user_message':
      return add(transcript, {
        ...begin(event, event.content.text),
        role: 'user',
        source: event.content.source,
        ...(event.content.attachments && { attachments: event.content.attachments }),
      })
    case 'agent_message':
      return speak(transcript, event, 'assistant')
    case 'thought':
      return speak(transcript, event, 'thought')
    case 'tool_call':
    case 'tool_result':
      return foldTool(transcript, event)
    case 'plan':
      return foldPlan(transcript, event)
    case 'permission':
      return foldPermission(transcript, event)
    case 'usage':
      return foldUsage(transcript, event)
    case 'done':
      return add(transcript, {
        ...begin(event, ''),
        role: 'turn_end',
        stop_reason: event.content.stop_reason,
        canceled_by: event.content.canceled_by,
        tokens: tokensOf(event.content.usage),
      })
    case 'error':
      return add(transcript, {
        ...begin(event, event.content.error),
        role: 'error',
        failure_kind: event.content.failure?.kind ?? null,
      })
    case 'session_started':
    case 'session_stopped':
    case 'runtime_warning':
    case 'store_salvaged':
    case 'store_trimmed':
      return add(transcript, { ...begin(event, noticeText(event)), role: 'notice', kind: event.type })
    default:
      return null
  }
}

/** The last part of a conversation, for an agent that has to take it over. */
export function recapText(messages: readonly TranscriptMessage[], maxLength: number): string {
  const lines: string[] = []
  let left = maxLength
  for (const one of [...messages].reverse()) {
    if (one.role !== 'user' && one.role !== 'assistant') continue
    const line = `${one.role === 'user' ? 'User' : 'You'}: ${one.text}`
    if (line.length > left) break
    left -= line.length
    lines.unshift(line)
  }
  return lines.join('\n\n')
}

function begin(event: SessionEvent, text: string) {
  const { sequence, turn_id, timestamp } = event
  return { id: `m${sequence}`, sequence, last_sequence: sequence, turn_id, timestamp, text }
}

function add<M extends TranscriptMessage>(transcript: Transcript, message: M): M {
  transcript.messages.push(message)
  return message
}

function speak(
  transcript: Transcript,
  event: SessionEvent<'agent_message' | 'thought'>,
  role: SpokenMessage['role'],
): SpokenMessage | null {
  const text = textOf(event.content) ?? ''
  const attachment = attachmentOf(event.content.content, event.sequence)
  if (text === '' && attachment === null) return null
  // Usage and plan updates arrive in between; they do not end a sentence.
  const last = transcript.messages.findLast(({ role }) => role !== 'usage' && role !== 'plan')
  const isOn = last?.role === role && last.turn_id === event.turn_id
  const message = isOn
    ? (last as SpokenMessage)
    : add<SpokenMessage>(transcript, { ...begin(event, ''), role, attachments: [] })
  message.text += text
  message.last_sequence = event.sequence
  if (attachment) message.attachments.push(attachment)
  return message
}

const TOOL_STATUSES: readonly ToolMessage['status'][] = ['pending', 'in_progress', 'completed', 'failed']

function foldTool(transcript: Transcript, event: SessionEvent<'tool_call' | 'tool_result'>): ToolMessage {
  const { content } = event
  const id = toolCallId(content) ?? `call-${event.sequence}`
  // An id may be reused after a resume; within its turn it is the same call.
  const key = `tool ${event.turn_id} ${id}`
  const existing = transcript.open.get(key) as ToolMessage | undefined
  const message = existing ?? add<ToolMessage>(transcript, newTool(event, id))
  transcript.open.set(key, message)
  message.last_sequence = event.sequence
  message.status = TOOL_STATUSES.find((status) => status === content.status) ?? message.status
  if (typeof content.title === 'string' && content.title !== '') message.text = content.title
  if (typeof content.kind === 'string') message.kind = content.kind
  // Per the protocol: fields of an update replace the previous ones.
  if (Array.isArray(content.locations)) message.locations = locationsOf(content.locations)
  if (Array.isArray(content.content)) {
    message.diffs = diffsOf(content.content)
    message.output = outputOf(content.content)
    message.images = imagesIn(content).map((_, index) => ({ sequence: event.sequence, index }))
  }
  return message
}

function newTool(event: SessionEvent<'tool_call' | 'tool_result'>, id: string): ToolMessage {
  const text = toolTitle(event.content) ?? id
  return {
    ...begin(event, text),
    role: 'tool',
    tool_call_id: id,
    kind: 'other',
    status: 'pending',
    locations: [],
    diffs: [],
    output: '',
  }
}

/** Per the protocol: a plan replaces the previous one of the turn. */
function foldPlan(transcript: Transcript, event: SessionEvent<'plan'>): PlanMessage {
  const key = `plan ${event.turn_id}`
  const existing = transcript.open.get(key) as PlanMessage | undefined
  const message = existing ?? add<PlanMessage>(transcript, { ...begin(event, ''), role: 'plan', entries: [] })
  transcript.open.set(key, message)
  message.last_sequence = event.sequence
  message.entries = entriesOf(event.content)
  return message
}

function foldPermission(transcript: Transcript, event: SessionEvent<'permission'>): PermissionMessage {
  const { content } = event
  const requestId = content.request_id ?? `policy-${event.sequence}`
  const key = `permission ${requestId}`
  const existing = transcript.open.get(key) as PermissionMessage | undefined
  const message = existing ?? add<PermissionMessage>(transcript, newPermission(event, requestId))
  message.last_sequence = event.sequence
  if (content.decision === null) {
    transcript.open.set(key, message)
    return message
  }
  // Ids are reused after a restart of the session.
  transcript.open.delete(key)
  message.decision = content.decision
  message.decided_by = content.decided_by ?? null
  message.status = outcomeOf(content.decision)
  return message
}

function newPermission(event: SessionEvent<'permission'>, requestId: string): PermissionMessage {
  const { content } = event
  const call = isObject(content.tool_call) ? content.tool_call : {}
  return {
    ...begin(event, titleOf(content) || requestId),
    role: 'permission',
    request_id: requestId,
    kind: content.kind ?? 'other',
    tool_call_id: toolCallId(call),
    ...readInput(titleOf(content), call),
    diffs: diffsOf(Array.isArray(call.content) ? call.content : []),
    options: content.options ?? [],
    status: 'pending',
    decision: null,
    decided_by: null,
    expires_at: content.expires_at ?? null,
  }
}

function outcomeOf(decision: string): PermissionMessage['status'] {
  if (decision.startsWith('allow')) return 'allowed'
  return decision.startsWith('reject') ? 'rejected' : 'cancelled'
}

function foldUsage(transcript: Transcript, event: SessionEvent<'usage'>): UsageMessage {
  const { content } = event
  const key = `usage ${event.turn_id}`
  const existing = transcript.open.get(key) as UsageMessage | undefined
  const message =
    existing ??
    add<UsageMessage>(transcript, { ...begin(event, ''), role: 'usage', used: null, size: null, cost: null })
  transcript.open.set(key, message)
  message.last_sequence = event.sequence
  message.used = numberOrNull(content.used) ?? message.used
  message.size = numberOrNull(content.size) ?? message.size
  const cost = isObject(content.cost) ? content.cost : {}
  const amount = numberOrNull(cost.amount)
  if (amount !== null) message.cost = { amount, currency: String(cost.currency ?? 'USD') }
  return message
}

/** Agents spell these names in several ways. */
export function tokensOf(usage: unknown): TurnTokens | null {
  if (!isObject(usage)) return null
  const pick = (...names: string[]) => names.map((name) => numberOrNull(usage[name])).find((n) => n !== null) ?? 0
  return {
    input: pick('inputTokens', 'input_tokens'),
    output: pick('outputTokens', 'output_tokens'),
    cache_read: pick('cachedReadTokens', 'cacheReadTokens', 'cached_read_tokens', 'cache_read_input_tokens'),
    cache_write: pick('cachedWriteTokens', 'cacheWriteTokens', 'cached_write_tokens', 'cache_creation_input_tokens'),
  }
}

function entriesOf(content: Json) {
  const entries = Array.isArray(content.entries) ? content.entries.filter(isObject) : []
  return entries.map((entry) => ({
    content: String(entry.content ?? ''),
    priority: String(entry.priority ?? 'medium'),
    status: String(entry.status ?? 'pending'),
  }))
}

type Notice = SessionEvent<NoticeMessage['kind']>

const STARTED: Readonly<Record<StartMethod, string>> = {
  new: 'started',
  load: 'started again, with its conversation',
  resume: 'started again, with its conversation',
  new_with_recap: 'started again, with a recap of its conversation',
  fork: 'started with a copy of a conversation',
}

function noticeText({ type, content }: Notice): string {
  if (type === 'session_started') return STARTED[content.started_with ?? 'new']
  if (type === 'runtime_warning') return content.detail
  if (type === 'store_salvaged') return `${content.lost_events} events of the history were lost`
  if (type === 'store_trimmed') return trimmedText(content)
  const detail = content.stop_detail ? `: ${content.stop_detail}` : ''
  return `stopped: ${content.stop_reason}${detail}`
}

function numberOrNull(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null
}
