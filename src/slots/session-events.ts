// What a runtime knows of its sessions because it speaks with their agents in events. Where it is there, it wins over
// what an agent's own files say.
import type { SessionEvent } from '../contract/agh/events.ts'
import type { TranscriptPage } from '../contract/agh/transcript.ts'
import type { PermissionAnswer, PermissionRequest } from '../contract/permission.ts'
import type { AgentSessionInfo, RuntimeHandle } from '../contract/session.ts'
import type { ActivityReading } from './agent.ts'

export interface SessionReading {
  /** null: it cannot tell. */
  activity: ActivityReading | null
  info: AgentSessionInfo | null
  /** Questions that wait for a person, oldest first. */
  permissions: PermissionRequest[]
}

export interface SessionEvents {
  /** One call for all sessions; keyed by `handle.id`. What could not be read is left out. Never throws. */
  read(handles: RuntimeHandle[], options: { readyThresholdMs: number; now: Date }): Promise<Map<string, SessionReading>>
  /** true: it is in the durable history and was handed to the agent. false: not yet, or never. null: cannot tell. */
  hasSeen(handle: RuntimeHandle, messageId: string): Promise<boolean | null>
  /** Throws PERMISSION_NOT_FOUND when nothing of the kind waits. */
  answerPermission(handle: RuntimeHandle, answer: PermissionAnswer): Promise<{ requestId: string; decision: string }>
  /** Also of an ended session. */
  readTranscript(handle: RuntimeHandle): Promise<TranscriptPage>
  /** Every event after `after`, first those that are there, then as they come, until the session ends or `signal` fires. */
  follow(handle: RuntimeHandle, after: number, signal: AbortSignal): AsyncIterable<SessionEvent>
  /** Files and directories whose change means news, for watching. */
  watchPaths(handle: RuntimeHandle): string[]
}
