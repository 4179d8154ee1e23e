// What a runtime knows of its sessions because it talks to their agents in events. Where available, it wins over an agent's
// own files.
import type { SessionEvent } from '../contract/agh/events.ts'
import type { TranscriptPage } from '../contract/agh/transcript.ts'
import type { WaitingMessage } from '../contract/dashboard/messages.ts'
import type { PermissionAnswer, PermissionRequest } from '../contract/permission.ts'
import type { AgentSessionInfo, RuntimeHandle } from '../contract/session.ts'
import type { ActivityReading } from './agent.ts'

export interface SessionReading {
  /** null: unknown. */
  activity: ActivityReading | null
  info: AgentSessionInfo | null
  /** Questions that wait for a person, oldest first. */
  permissions: PermissionRequest[]
}

export interface SessionEvents {
  /** One call for all sessions; keyed by `handle.id`. Anything that could not be read is left out. Never throws. */
  read(handles: RuntimeHandle[], options: { readyThresholdMs: number; now: Date }): Promise<Map<string, SessionReading>>
  /** true: it is in the durable event log and was sent to the agent. false: not yet, or never. null: unknown. */
  hasSeen(handle: RuntimeHandle, messageId: string): Promise<boolean | null>
  /** Throws PERMISSION_NOT_FOUND when no such question is pending. */
  answerPermission(handle: RuntimeHandle, answer: PermissionAnswer): Promise<{ requestId: string; decision: string }>
  /** Ends the turn that is running, like its user's Escape; the conversation stays. Absent: it cannot. */
  cancelTurn?(handle: RuntimeHandle): Promise<void>
  /** What waits behind the running turn, in order. Absent: nothing ever does. */
  waitingMessages?(handle: RuntimeHandle): Promise<WaitingMessage[]>
  /** Gives one that waits another text, or withdraws it (null). Throws MESSAGE_NOT_WAITING for one that was sent. */
  changeWaiting?(handle: RuntimeHandle, messageId: string, text: string | null): Promise<void>
  /** Sends the prompt of the newest turn again, word for word, if that turn failed. `turnId`: only if it is this one. */
  retryTurn?(handle: RuntimeHandle, turnId?: string): Promise<{ turnId: string; retries: string }>
  /** What people have allowed for the whole session, as far as the runtime itself applies it. */
  standingRules?(handle: RuntimeHandle): Promise<Array<{ id: string; rule: string }>>
  /** Throws RULE_NOT_FOUND. */
  revokeRule?(handle: RuntimeHandle, id: string): Promise<void>
  /** Also for an ended session. */
  readTranscript(handle: RuntimeHandle): Promise<TranscriptPage>
  /** The next stored events after this one, a large page of them; none: there are no more. Also for an ended session. */
  readEvents(handle: RuntimeHandle, after: number): Promise<SessionEvent[]>
  /** Every event after `after`, first the stored ones, then as they happen, until the session ends or `signal` fires. */
  follow(handle: RuntimeHandle, after: number, signal: AbortSignal): AsyncIterable<SessionEvent>
  /** Files and directories whose change means news, for watching. */
  watchPaths(handle: RuntimeHandle): string[]
}
