// A session as a conversation: messages, tool calls with what they changed, plans, questions and their answers. Folded from
// events by core/agh/transcript/transcript.ts. `id` stays the same while a message grows; `last_sequence` says how far.

import type { Attachment } from './attachment.ts'
import type { PermissionInput } from './permission-input.ts'

interface MessageBase {
  /** `m12`, after the number of its first event. */
  id: string
  /** Of its first event: the order of messages. */
  sequence: number
  /** Of the newest event in it. */
  last_sequence: number
  turn_id: string | null
  timestamp: string
  text: string
  /** For messages with a state of their own: a tool call, a question. */
  status?: string
}

export interface UserMessage extends MessageBase {
  role: 'user'
  source: string
  /** What went along with it. */
  attachments?: Attachment[]
}

export interface SpokenMessage extends MessageBase {
  role: 'assistant' | 'thought'
  /** What it sent beside text. */
  attachments: AgentFile[]
}

/** What an agent sent beside text. */
export interface AgentFile {
  type: string
  mime_type: string | null
  uri: string | null
  name: string | null
  /** Where its bytes are, when it is a picture that was sent along. */
  image?: ImageRef | null
}

/** The event that brought a picture, and which of its pictures it is. */
export interface ImageRef {
  sequence: number
  index: number
}

export interface ToolMessage extends MessageBase {
  role: 'tool'
  tool_call_id: string
  /** read, edit, delete, move, search, execute, think, fetch, other */
  kind: string
  status: 'pending' | 'in_progress' | 'completed' | 'failed'
  locations: Array<{ path: string; line: number | null }>
  diffs: FileDiff[]
  /** What it printed; only the end if it is long. */
  output: string
  /** Pictures that it returned. */
  images?: ImageRef[]
}

export interface FileDiff {
  path: string
  /** null: the file is new. */
  old_text: string | null
  new_text: string
}

export interface PlanMessage extends MessageBase {
  role: 'plan'
  entries: Array<{ content: string; priority: string; status: string }>
}

export interface PermissionMessage extends MessageBase {
  role: 'permission'
  request_id: string
  kind: string
  tool_call_id: string | null
  /** What it would run, read or call; absent: the agent did not say. */
  input?: PermissionInput
  /** The input is longer than what is here. */
  input_cut?: true
  diffs: FileDiff[]
  options: Array<{ option_id: string; name: string; decision: string }>
  status: 'pending' | 'allowed' | 'rejected' | 'cancelled'
  /** allow-once, reject-once … or cancelled; null while it waits. */
  decision: string | null
  /** policy, user, expired or turn_cancelled; null while it waits. */
  decided_by: string | null
  expires_at: string | null
}

/** A turn's latest report of its usage. */
export interface UsageMessage extends MessageBase {
  role: 'usage'
  /** Tokens in the context now, and how many fit. */
  used: number | null
  size: number | null
  cost: { amount: number; currency: string } | null
}

export interface TurnEndMessage extends MessageBase {
  role: 'turn_end'
  stop_reason: string | null
  /** user, inactivity or stop; null when it was not cancelled. */
  canceled_by: string | null
  tokens: TurnTokens | null
}

export interface TurnTokens {
  input: number
  output: number
  cache_read: number
  cache_write: number
}

export interface ErrorMessage extends MessageBase {
  role: 'error'
  failure_kind: string | null
}

/** Something about the session itself: it started, stopped, warned, lost part of its log. */
export interface NoticeMessage extends MessageBase {
  role: 'notice'
  kind: 'session_started' | 'session_stopped' | 'runtime_warning' | 'store_salvaged' | 'store_trimmed'
}

export type TranscriptMessage =
  | UserMessage
  | SpokenMessage
  | ToolMessage
  | PlanMessage
  | PermissionMessage
  | UsageMessage
  | TurnEndMessage
  | ErrorMessage
  | NoticeMessage

export interface TranscriptPage {
  messages: TranscriptMessage[]
  /** Follow the events after this one; 0: there are none yet. */
  last_sequence: number
}
