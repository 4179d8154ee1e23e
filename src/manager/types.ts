// The public interface of the session manager.

import type { AccountLimit } from '../contract/account.ts'
import type { SessionEvent as AgentEvent } from '../contract/agh/events.ts'
import type { TranscriptPage } from '../contract/agh/transcript.ts'
import type { CommitRow, DiffAnswer } from '../contract/dashboard/answers.ts'
import type { WaitingMessage } from '../contract/dashboard/messages.ts'
import type { NeedKind } from '../contract/dashboard/needs.ts'
import type { StandingRules } from '../contract/dashboard/rules.ts'
import type { PermissionAnswer, PermissionRequest } from '../contract/permission.ts'
import type { RadarAnswer } from '../contract/radar.ts'
import type {
  ClaimResult,
  CleanupResult,
  KillOptions,
  LeftProcess,
  OrchestratorSpawnConfig,
  SendReceipt,
  Session,
  SessionId,
  SessionSpawnConfig,
  WithUndefined,
} from '../contract/session.ts'
import type { CostEntry } from '../core/budget/cost-report.ts'
import type { Manifest } from '../core/session/export-manifest.ts'
import type { LaunchPlan } from '../core/session/plan-launch.ts'
import type { DiffRequest } from '../git/diff/diff-request.ts'
import type { Leftover, Rescue } from '../slots/workspace.ts'

/** One line about the current step, for `--verbose` and progress. */
export type OnProgress = (line: string) => void

export interface ExportOptions {
  /** Where to; it must not exist. */
  file: string
  /** Leave out uncommitted work, instead of refusing. */
  committedOnly?: boolean
}

export interface Exported {
  file: string
  bytes: number
  manifest: Manifest
}

export interface Imported {
  sessionId: SessionId
  projectId: string
  /** Its id where it was exported. */
  from: string
  branch: string | null
}

export interface KillListeners {
  /** A person says that its work is done: that becomes its status. */
  endAs?: 'done'
  /** Only to continue it with the account that its record says: nothing is ended once that was done. */
  switching?: true
  /** Who requested it, for the history; absent: the user. */
  by?: string
  onProgress?: OnProgress
  /** Processes that may have come from the agent but were left running, because nothing proves it. */
  onLeftRunning?: (processes: LeftProcess[]) => void
  /** Called with where uncommitted work was saved. */
  onRescue?: (rescue: Rescue) => void
  /** What the user has to know, even without progress output. */
  onNotice?: OnProgress
}

export interface RetryResult {
  /** The turn that the prompt began, and the one that it repeats; null: the agent has a terminal, or no turn of it failed. */
  turn: { turnId: string; retries: string } | null
  /** Of the message that asked it to try again; null: its own prompt was sent. */
  receipt: SendReceipt | null
}

export interface SnoozeRequest {
  until: Date
  /** Another need of the same session is not put off. */
  need: NeedKind
}

export interface CleanupOptions {
  dryRun?: boolean
  onLeftRunning?: (sessionId: SessionId, processes: LeftProcess[]) => void
  /** Called with where uncommitted work of a removed session was saved. */
  onRescue?: (sessionId: SessionId, rescue: Rescue) => void
  onNotice?: OnProgress
}

/** Why cleanup takes or leaves a session, for `--dry-run` and people. */
export interface CleanupDecision {
  sessionId: SessionId
  action: 'remove' | 'skip'
  reason: string
}

export interface SpawnOptions {
  onProgress?: OnProgress
  /** What the user should know: somebody is at work in files that the task will probably change. */
  onNotice?: OnProgress
  /** What looks like an issue id must be known to the project's tracker; by default an unknown id is treated as free text. */
  requireIssue?: boolean
  /** Where it runs, instead of where the project says. */
  place?: string | undefined
}

export interface RestoreOptions {
  onProgress?: OnProgress
  /** What the user has to know, even without --verbose: a missing branch, work that does not apply. */
  onNotice?: OnProgress
  /** Who requested it, for the history; absent: the user. */
  by?: string
  /** Where it runs from now on; null: on this machine. Absent: where it was. */
  place?: string | null
  /** Only to continue it with the account that its record says; refused when somebody ended it meanwhile. */
  switching?: true
}

export interface SwitchOptions {
  /** null: the account and the agent that it began with. */
  account: string | null
  /** For its history and for the agent that takes over. */
  why: string
  /** Who requested it; absent: the user. */
  by?: string
  /** The limit of the present account, if that is why. */
  limit?: AccountLimit | null
  onProgress?: OnProgress
}

export interface MoveOptions {
  /** null: on this machine. */
  place: string | null
  /** Also when its present place cannot be reached. */
  force?: boolean
  onProgress?: OnProgress
}

/** A place of the configuration. */
export interface PlaceInfo {
  name: string
  type: string
  /** Ids of the sessions that are there. */
  sessions: string[]
  maxSessions: number | null
  draining: boolean
  /** Why it takes no session now; null: it does. */
  full: string | null
  /** Since when its sessions cannot be reached, and why; null: they can, or nobody is there. */
  unreachable: { since: Date; why: string } | null
}

export interface DeliverOptions {
  /** The sender: `user`, or the reaction's key. */
  source?: string | undefined
  /** Which person or device, for the history. */
  by?: string | undefined
  /** How long to wait for the agent's own records to show the message. */
  timeoutMs?: number | undefined
  /** End the running turn first, where the runtime can: for an agent that has gone silent in it. */
  interrupt?: boolean | undefined
  /**
   * The message answers what the agent asks: it is typed although the agent waits for an answer, unless the screen shows a
   * dialog, which no text can answer.
   */
  isAnswer?: boolean | undefined
  /** Enter it verbatim: what begins like a command of the agent is one. */
  raw?: boolean | undefined
  /** The caller has just observed it: only its runtime is asked whether its agent is still there. */
  isObserved?: boolean | undefined
  /** When the sender accepted it, in milliseconds since the epoch; absent: now. Messages are entered in this order. */
  acceptedAt?: number | undefined
}

export interface PendingOptions {
  /** An agent records that it asks before its screen shows the question: how long to wait for that. */
  drawnWithinMs?: number
}

export interface SessionManager {
  spawn(config: WithUndefined<SessionSpawnConfig>, options?: SpawnOptions): Promise<Session>
  /** What `spawn` would do now: ids, paths, command and steps. Changes nothing. */
  planSpawn(config: WithUndefined<SessionSpawnConfig>, options?: SpawnOptions): Promise<LaunchPlan>
  spawnOrchestrator(
    config: WithUndefined<OrchestratorSpawnConfig>,
    options?: { onProgress?: OnProgress },
  ): Promise<Session>
  /** Reads only: findings are in the returned objects, not on disk. */
  list(projectId?: string): Promise<Session[]>
  get(sessionId: SessionId): Promise<Session | null>
  restore(sessionId: SessionId, options?: RestoreOptions): Promise<Session>
  kill(sessionId: SessionId, options?: KillOptions & KillListeners): Promise<void>
  /** Ends its agent, brings its work home and pauses its place, which keeps its disk. One that is paused stays so. */
  pause(sessionId: SessionId, options?: { onProgress?: OnProgress }): Promise<void>
  /** Ends its agent, brings its work home and restores it in another place, or on this machine. */
  move(sessionId: SessionId, options: MoveOptions): Promise<Session>
  listPlaces(): Promise<PlaceInfo[]>
  /** One line about a place. Throws what is wrong with it. */
  testPlace(name: string): Promise<string>
  /** A drained place takes no new sessions. */
  drainPlace(name: string, drained: boolean): Promise<void>
  cleanup(projectId?: string, options?: CleanupOptions): Promise<CleanupResult>
  /** The decisions behind `cleanup`, one per session. */
  planCleanup(projectId?: string): Promise<CleanupDecision[]>
  /** Throws MESSAGE_UNDELIVERED when the message did not reach the agent. */
  send(sessionId: SessionId, message: string): Promise<void>
  /** The same with its receipt: `seen`, `handed_over`, `held` or `undelivered`, never a false success. */
  deliver(sessionId: SessionId, message: string, options?: DeliverOptions): Promise<SendReceipt>
  /** Delivers held messages, if the agent accepts them now. null: another process is doing so. */
  deliverHeld(sessionId: SessionId): Promise<SendReceipt[] | null>
  /** Answers what the agent asks. Throws PERMISSION_NOT_FOUND when no such question is pending. */
  answerPermission(sessionId: SessionId, answer: PermissionAnswer): Promise<{ requestId: string; decision: string }>
  /** What the agent asks now, over events or on its screen. */
  pendingPermissions(sessionId: SessionId, options?: PendingOptions): Promise<PermissionRequest[]>
  /** The conversation, also of an ended session; STATE_REFUSED for one that has a terminal instead. */
  readTranscript(sessionId: SessionId): Promise<TranscriptPage>
  /** Writes the session and its work into one file. Changes nothing. */
  exportSession(sessionId: SessionId, options: ExportOptions): Promise<Exported>
  /** Takes an exported session into the archive. ARCHIVE_INVALID when the file is not one; then nothing is left of it. */
  importSession(file: string, options: { projectId: string }): Promise<Imported>
  /** What its branch changes, uncommitted work included; also of an ended session. */
  diff(session: Session, request?: DiffRequest): Promise<DiffAnswer>
  /** The commits of its branch, oldest first. */
  commits(session: Session): Promise<CommitRow[]>
  /** Which live branches meet, and where; uncommitted work included. Changes nothing. */
  radar(projectId?: string, options?: { budgetMs?: number }): Promise<RadarAnswer>
  /** The last lines of the agent's screen; '' when it is not running. */
  readScreen(session: Session, lines?: number): Promise<string>
  /** Its events after number `after`, including future ones, until the session ends or the signal fires. */
  followEvents(sessionId: SessionId, options: { after?: number; signal: AbortSignal }): AsyncIterable<AgentEvent>
  /** Merges exactly this head of its pull request. */
  merge(sessionId: SessionId, sha: string): Promise<{ commit: string | null; boarded: boolean; projectId: string }>
  /** Ends the turn that is running; the agent stays. STATE_REFUSED for one that has a terminal. */
  stopTurn(sessionId: SessionId, options?: { by?: string }): Promise<void>
  /** Sends the prompt of a turn that failed again, word for word; an agent in a terminal is asked to try again. */
  retryTurn(sessionId: SessionId, options?: { turnId?: string | undefined }): Promise<RetryResult>
  /** Messages that have not reached the agent yet, in the order of their delivery. */
  waitingMessages(sessionId: SessionId): Promise<WaitingMessage[]>
  /** Another text for one of them; null withdraws it. Throws MESSAGE_NOT_WAITING for one that was delivered. */
  changeWaiting(sessionId: SessionId, messageId: string, text: string | null): Promise<void>
  /** What its agent may do without asking because somebody answered always, and who keeps that. */
  standingRules(sessionId: SessionId): Promise<StandingRules>
  /** Throws RULE_NOT_FOUND for one that ao's side does not keep. */
  revokeRule(sessionId: SessionId, id: string): Promise<void>
  /** Says what it may cost; null: as in the configuration. */
  setBudget(sessionId: SessionId, usd: number | null): Promise<void>
  /**
   * Continues it with another account of the configuration, in a new conversation in the same workspace. If that account
   * cannot be used, the session is as it was, and this throws.
   */
  switchAccount(sessionId: SessionId, options: SwitchOptions): Promise<Session>
  /** What every session has used, archived ones too. */
  costs(projectId?: string): Promise<CostEntry[]>
  /** Ends it as done, at a person's word; its workspace stays. */
  finish(sessionId: SessionId): Promise<void>
  /** Puts off what it needs now, until then; null: from now on it counts again. A need that is about to expire cannot be put off. */
  snooze(sessionId: SessionId, request: SnoozeRequest | null): Promise<void>
  /** Asks its agent to hand in its work: to open a pull request, where there is a forge. */
  handIn(sessionId: SessionId): Promise<SendReceipt>
  /** Gives it a name that stays; null: it is called after its task again. Resolves with the name as stored. */
  rename(sessionId: SessionId, title: string | null): Promise<string | null>
  claimPR(sessionId: SessionId, reference: string, options?: { takeover?: boolean }): Promise<ClaimResult>
  /** Finishes or rolls back what a crashed command left. Every changing operation does this first. */
  recover(
    projectId?: string,
    onFailure?: (sessionId: SessionId, why: string) => void,
  ): Promise<Array<{ sessionId: SessionId; outcome: 'finished' | 'taken_back' }>>
  /** What killed commands left that no session's record mentions. */
  findLeftovers(projectId?: string): Promise<Leftover[]>
}
