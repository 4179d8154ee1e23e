// The session as callers of the library, the command line and the dashboard see it.
import type { PermissionRequest } from './permission.ts'
import type { PullRef } from './pull.ts'
import type { ActivityState, SessionStatus } from './status.ts'

export type SessionId = string

/** How to reach a running session again. `data` belongs to the runtime plugin that wrote it. */
export interface RuntimeHandle {
  id: string
  runtimeName: string
  data?: Record<string, unknown> | undefined
}

export interface AgentCost {
  inputTokens: number
  outputTokens: number
  cacheReadTokens: number
  cacheWriteTokens: number
  /** null when the model is not in the price table: an unknown price is never shown as 0. */
  estimatedCostUsd: number | null
}

/** Why nothing is known of what an agent in a place is doing. Where this stands, what it was last seen doing is not shown. */
export interface UnknownAgent {
  place: string
  why: string
  /** When it was last heard of; null: that was not written down. */
  since: Date | null
  /** false: the place answers, but cannot say what became of the agent. */
  unreachable: boolean
}

/** Stopped where it is; its process, files and conversation stay. */
export interface PausedAgent {
  /** ISO 8601. */
  since: string
  /** `by maria: look at this`. */
  why: string
  /** What lets it go on. */
  resumes: string
}

export interface AgentSessionInfo {
  summary: string | null
  /** The summary is the first prompt rather than something the agent wrote. */
  summaryIsFallback?: boolean | undefined
  /** The agent's own session id, the one its resume flag takes. */
  agentSessionId: string | null
  model?: string | undefined
  cost?: AgentCost | undefined
  lastMessage?: string | undefined
  /** While it is blocked: by what, as far as possible in the agent's own words. */
  blockedBy?: string | undefined
  /** It is blocked by a limit that is reset then. */
  limitResetsAt?: Date | undefined
  /** What it asked since the last prompt, and nobody answered in time: it was refused. `at`: ISO 8601. */
  expiredRequest?: { text: string; at: string } | undefined
  /** Why its activity is unknown, of an agent in a place. */
  unknown?: UnknownAgent | undefined
  paused?: PausedAgent | undefined
  /** Which part of its work stays in its place, because it is too large to come home. */
  workLeft?: string | undefined
  /** What it asks a person now, where the runtime receives it; absent when nothing is pending. */
  pendingPermissions?: PermissionRequest[] | undefined
}

export interface Session {
  id: SessionId
  projectId: string
  status: SessionStatus
  /** null: unknown. */
  activity: ActivityState | null
  branch: string | null
  issueId: string | null
  pr: PullRef | null
  workspacePath: string | null
  runtimeHandle: RuntimeHandle | null
  agentInfo: AgentSessionInfo | null
  createdAt: Date
  lastActivityAt: Date
  restoredAt?: Date
  metadata: Record<string, string>
}

/**
 * Next to the pairs of the record in `metadata`. No record can contain a key with a space, so this one is never a claim.
 */
export const DAMAGED_KEY = 'record damaged'

/** Why the session's record cannot be read, fully or in part; undefined for an intact one. */
export function damageOf(session: Pick<Session, 'metadata'>): string | undefined {
  return session.metadata[DAMAGED_KEY]
}

/** T for callers that pass on their own options: optional keys may be given as undefined. */
export type WithUndefined<T> = { [K in keyof T]: Record<string, never> extends Pick<T, K> ? T[K] | undefined : T[K] }

export interface SessionSpawnConfig {
  projectId: string
  issueId?: string
  branch?: string
  prompt?: string
  agent?: string
}

export interface OrchestratorSpawnConfig {
  projectId: string
  systemPrompt?: string
}

export interface CleanupResult {
  killed: string[]
  skipped: string[]
  errors: Array<{ sessionId: string; error: string }>
}

/** Left running when its session was stopped: it may have come from the agent, but nothing proves it. */
export interface LeftProcess {
  pid: number
  command: string
}

export interface KillOptions {
  /** Stop the agent but keep worktree and record (`ao session kill`). */
  keepWorkspace?: boolean
  /** Messages held for it stay and are delivered after a restore; otherwise they are withdrawn. */
  keepMessages?: boolean
  /** Force-stop: no cooperative signal first; the status becomes `terminated`. */
  force?: boolean
  /** Its place is paused instead of given back (`ao session pause`). */
  pause?: boolean
}

/**
 * How far a message got. `seen`: the agent's own records show it. `held`: it is kept and delivered once the agent no longer
 * waits for an answer.
 */
export type ReceiptLevel = 'seen' | 'handed_over' | 'held' | 'undelivered'

export interface SendReceipt {
  messageId: string
  level: ReceiptLevel
  /** Why it is not `seen`. */
  why?: string
  /** How what was entered differs from the message: it is in a file, or characters were removed. */
  note?: string
}

export interface ClaimResult {
  sessionId: SessionId
  projectId: string
  pr: PullRef
  branchChanged: boolean
  takenOverFrom: SessionId[]
}
