// A session's status, from everything we know about it. What its pull requests amount to is decided in recorded-facts.ts.
import type { Operation } from '../../contract/events.ts'
import type { PullFacts } from '../../contract/pull.ts'
import { type RecordChange, recordOf } from '../../contract/record.ts'
import type { Session } from '../../contract/session.ts'
import { type ActivityState, isTerminalSession, type SessionStatus, TERMINAL_STATUSES } from '../../contract/status.ts'
import { isOrchestratorSession } from './describe-session.ts'
import { RECORDED_MS, statusOfPr } from './recorded-facts.ts'

export interface StatusFacts {
  /** What the session's record says. */
  stored: SessionStatus
  /** A command that is working on the session, or was and died. */
  operation: {
    kind: Operation
    ownerAlive: boolean
    data?: { keepWorkspace?: boolean | undefined }
  } | null
  /** null: no runtime was ever started, or it was not asked. */
  runtime: { state: 'alive' } | { state: 'dead'; exitCode: number | null } | { state: 'unknown' } | null
  activity: { state: ActivityState; at: number | null } | null
  hasPr: boolean
  /** An orchestrator has a person to talk to: between two turns it waits for them. */
  isOrchestrator: boolean
  /** null: the forge was not asked or did not answer; then its previous answer stands. */
  pr: PullFacts | null
  /** Since when it has certainly been the agent's turn: the last message it got, or the verdict it has to answer. */
  turnSince: number | null
  readyThresholdMs: number
  /** When a limit that blocks the agent is reset: until then it waits and is not stuck. */
  limitResetsAt?: number | null
  /** Its agent is stopped: silence is what was asked for. */
  isPaused?: boolean
}

/** Statuses whose next step is somebody else's: an idle agent is fine there and not stuck. */
const AWAITING_OTHERS: ReadonlySet<SessionStatus> = new Set(['pr_open', 'review_pending', 'approved', 'mergeable'])

export function deriveStatus(facts: StatusFacts, now: number): SessionStatus {
  if (facts.pr?.state === 'merged') return 'merged'
  if (facts.operation && !leavesStatus(facts.operation)) return duringOperation(facts.operation, facts.stored)
  if (TERMINAL_STATUSES.has(facts.stored) && !isWronglyKilled(facts)) return facts.stored
  if (facts.runtime?.state === 'dead') return afterExit(facts.runtime.exitCode, facts.hasPr)
  if (facts.activity?.state === 'exited') return afterExit(null, facts.hasPr)
  if (facts.activity?.state === 'waiting_input') return 'needs_input'

  const ground = groundStatus(facts)
  return isAgentsTurn(facts, ground) && isInactive(facts, now) ? 'stuck' : ground
}

/** Earlier versions called a session killed when its pull request was closed, though its agent was running. */
function isWronglyKilled({ stored, runtime, pr }: StatusFacts): boolean {
  return stored === 'killed' && runtime?.state === 'alive' && pr?.state === 'closed'
}

function isAgentsTurn({ stored, pr, isOrchestrator, activity }: StatusFacts, ground: SessionStatus): boolean {
  // It left the train, and its agent was asked to repair that.
  if (pr?.state === 'open' && pr.left !== undefined && ground === 'approved') return true
  // An agent that was rightly waiting has its turn only from now on.
  if (AWAITING_OTHERS.has(ground) || AWAITING_OTHERS.has(stored)) return false
  // A person closed the pull request and decides what comes next.
  if (pr?.state === 'closed') return false
  return !(isOrchestrator && activity?.state === 'idle')
}

/** Where the work stands, apart from what the agent is doing now. */
function groundStatus(facts: StatusFacts): SessionStatus {
  if (facts.pr) return statusOfPr(facts.pr)
  const { stored, runtime } = facts
  const started = facts.hasPr ? 'pr_open' : 'working'
  if (stored === 'spawning') return runtime?.state === 'alive' ? started : 'spawning'
  if (stored === 'working') return started
  if (stored === 'needs_input' || stored === 'stuck') {
    // Without news the old alarm stands; a working or finished agent clears it.
    if (facts.activity === null) return stored
    return started
  }
  return stored
}

/** A successful end without a pull request is `done`; any other verified end is `killed`. */
function afterExit(exitCode: number | null, hasPr: boolean): SessionStatus {
  return exitCode === 0 && !hasPr ? 'done' : 'killed'
}

/** A kill that keeps the workspace removes nothing: the session is what its agent is, also when the command died. */
function leavesStatus({ kind, data }: NonNullable<StatusFacts['operation']>): boolean {
  return kind === 'rewind' || (kind === 'kill' && data?.keepWorkspace === true)
}

function duringOperation(operation: NonNullable<StatusFacts['operation']>, stored: SessionStatus): SessionStatus {
  if (operation.kind === 'kill' || operation.kind === 'cleanup') return stored === 'merged' ? stored : 'cleanup'
  // Its command died half-way: the next one finishes it or rolls it back.
  return operation.ownerAlive ? 'spawning' : 'errored'
}

/** By then the loop has asked an agent whose limit was reset to continue. */
export const CONTINUED_MS = 5 * 60_000

function isInactive(facts: StatusFacts, now: number): boolean {
  const { activity } = facts
  if (activity === null || facts.isPaused) return false
  if (facts.turnSince !== null && now - facts.turnSince <= facts.readyThresholdMs) return false
  if (activity.state === 'idle') return true
  if (facts.limitResetsAt && now <= facts.limitResetsAt + CONTINUED_MS) return false
  return activity.state === 'blocked' && activity.at !== null && now - activity.at > facts.readyThresholdMs
}

/**
 * The next moment at which time alone may change the status: a silent agent counts as inactive, the records of one
 * that got a message should show it, or its limit is reset. null: only an event can.
 */
export function nextChangeAt(facts: StatusFacts, now: number): number | null {
  const { activity, turnSince, limitResetsAt, readyThresholdMs } = facts
  if (activity === null || facts.isPaused || !AGEING.has(activity.state)) return null
  const silentFrom = Math.max(activity.at ?? 0, turnSince ?? 0) + readyThresholdMs + 1
  const recordedBy = activity.state === 'active' && turnSince !== null ? [turnSince + RECORDED_MS + 1] : []
  const resets = limitResetsAt ? [limitResetsAt, limitResetsAt + CONTINUED_MS + 1] : []
  const moments = [silentFrom, ...recordedBy, ...resets]
  const ahead = moments.filter((at) => at > now)
  return ahead.length === 0 ? null : Math.min(...ahead)
}

/** Activities that silence turns into another one. */
const AGEING: ReadonlySet<ActivityState> = new Set(['active', 'ready', 'blocked'])

/** The activity to show: an agent whose session has ended is not doing anything, whatever its last record says. */
export function deriveActivity(
  status: SessionStatus,
  runtime: StatusFacts['runtime'],
  reading: ActivityState | null,
): ActivityState | null {
  if (runtime?.state === 'dead') return 'exited'
  if (runtime === null && isTerminalSession({ status, activity: null })) return 'exited'
  return reading
}

/** Its turn ended well without a pull request: a person says what comes next. Notifications follow from the same. */
export function isFinished(session: Session): boolean {
  const { status, activity } = session
  return status === 'working' && activity === 'ready' && !isOrchestratorSession(session) && isTurnOver(session)
}

/** No pull request, and nothing on its way that begins the next turn. */
function isTurnOver(session: Session): boolean {
  const { messagesOnTheWay = [], operation, promptDelivered } = recordOf(session)
  return session.pr === null && operation === undefined && promptDelivered !== 'held' && messagesOnTheWay.length === 0
}

/** The facts of a session of which only the status word is known. */
export function factsOfStatus(status: SessionStatus): RecordChange {
  if (TERMINAL_STATUSES.has(status)) return { endedAs: status, alarm: null }
  const alarm = status === 'needs_input' || status === 'stuck' ? status : null
  return { launched: status === 'spawning' ? null : 'yes', endedAs: null, alarm }
}
