// What a session needs from a person now, and what they can do about it. The only module where this is decided: the board's
// columns, the queue and `ao next` follow from it. Pure.
import { isWaiting } from '../../contract/blocker.ts'
import { type ErrorCause, NEED_KINDS, type NeedAct, type NeedKind } from '../../contract/dashboard/needs.ts'
import type { PermissionRequest } from '../../contract/permission.ts'
import { recordOf } from '../../contract/record.ts'
import type { Session } from '../../contract/session.ts'
import { isTerminalSession } from '../../contract/status.ts'
import { isSessionLimit } from '../budget/find-over-budget.ts'
import { CONTINUED_MS, isFinished } from '../status/derive-status.ts'
import { isOrchestratorSession } from '../status/describe-session.ts'
import { describeRequest } from './describe-request.ts'
import { causeOf, errorMessage, isLost } from './error-cause.ts'

export interface Need {
  kind: NeedKind
  /** The matter itself: the question, the error's own words, what the agent says it did. Untrusted text. */
  matter: string
  cause: ErrorCause | null
  /** ISO 8601: since when it waits. */
  since: string
  /** ISO 8601: what nobody answers by then is denied. */
  deadline: string | null
  acts: NeedAct[]
  /** The request of the agent that it is about. */
  requestId: string | null
}

export interface NeedFacts {
  session: Session
  /** When its status began, ISO 8601, and the facts behind it, in words. */
  since: string
  evidence: readonly string[]
  /** A reaction gave up and notified a person. */
  escalated: boolean
  /** A command ended it; it did not end on its own. */
  endedByCommand: boolean
  permissions: readonly PermissionRequest[]
  /** Its forge can merge. */
  canMerge: boolean
  now: Date
}

/** null: nothing. */
export function findNeed(facts: NeedFacts): Need | null {
  const { session, permissions } = facts
  const { status, activity } = session
  if (isTerminalSession({ status, activity: null })) return ofEnded(facts)
  const { heldBack, overBudget, stopped } = recordOf(session)
  if (heldBack !== undefined && isWaiting(recordOf(session)))
    return error(facts, 'held_back', `It does not start by itself: ${heldBack}.`, ['start', 'snooze'])
  if (permissions.length > 0) return ofPermission(facts)
  if (activity === 'waiting_input') return ofQuestion(facts)
  if (overBudget !== undefined && (activity !== 'active' || stopped)) return ofBudget(facts)
  // Its limit is reset by itself, and it continues by itself.
  if (activity === 'blocked') return isWaitingForLimit(facts) ? null : ofBlocked(facts)
  if (facts.escalated && status !== 'mergeable') return error(facts, 'gave_up', unsolved(facts), ['answer', 'snooze'])
  if (status === 'needs_input') return ofQuestion(facts)
  // A coordinator has nothing to do most of the time, which is fine.
  if (isOrchestratorSession(session)) return null
  if (status === 'stuck') return error(facts, 'silent', whyStuck(facts), ['answer', 'retry', 'snooze'])
  if (isFinished(session)) return ofExpired(facts) ?? ofFinished(facts)
  if (status === 'review_pending') return need(facts, 'review', pullTitle(facts), ['review'])
  const { task } = recordOf(session)
  if (status === 'mergeable' && task?.kind === 'group' && !task.chosen) return null
  if (status === 'mergeable' && task?.kind === 'best' && !task.chosen)
    return need(facts, 'review', `It is one of ${task.of} tries: choose one with ao choose. ${pullTitle(facts)}`, [
      'review',
    ])
  if (status === 'mergeable')
    return need(facts, 'merge', pullTitle(facts), facts.canMerge ? ['merge', 'review'] : ['review'])
  return null
}

/**
 * As far as the session itself shows it. What only its history has (a reaction gave up, nobody ended it) and open requests are
 * left out.
 */
export function needOfRecord(session: Session, now: Date): Need | null {
  const unread = { since: '', evidence: [], escalated: false, endedByCommand: true, permissions: [], canMerge: false }
  return findNeed({ ...unread, session, now })
}

/** It ended on its own with unfinished work: a person has to decide what happens to it. */
function ofEnded(facts: NeedFacts): Need | null {
  const { session, endedByCommand } = facts
  if (!isEndOpen(session, () => endedByCommand)) return null
  if (isOverBudget(session)) return ofBudget(facts)
  // Whatever else was known of each, it is the same matter for all of them.
  const lost = facts.evidence.find(isLost)
  if (lost !== undefined) return error(facts, 'lost', lost, ['restore', 'done'])
  return error(facts, 'ended', facts.evidence.map(errorMessage).find(Boolean) ?? 'It ended.', ['restore', 'done'])
}

/** Whether an ended session needs somebody. Its history is asked only if its record does not say. */
export function isEndOpen(session: Session, endedByCommand: () => boolean): boolean {
  if (isOverBudget(session)) return true
  if (recordOf(session).prState === 'closed') return false
  return session.status === 'errored' || (session.status === 'killed' && !endedByCommand())
}

function isOverBudget(session: Session): boolean {
  return session.status === 'killed' && recordOf(session).overBudget !== undefined
}

/** It has spent what it may: a person gives it more, or ends it. */
function ofBudget(facts: NeedFacts): Need {
  const { session } = facts
  const limit = recordOf(session).overBudget ?? ''
  const isOver = isTerminalSession({ status: session.status, activity: null })
  if (isSessionLimit(limit)) {
    const rest: NeedAct[] = isOver ? ['done'] : ['answer', 'done', 'snooze']
    return error(facts, 'budget', `It has spent what it may: ${limit}.`, ['raise', ...rest])
  }
  // More for this session would not help.
  const matter = `It has spent what it may: ${limit}. Raise \`budget.day\` in the configuration, or wait for tomorrow.`
  return error(facts, 'budget', matter, isOver ? ['restore', 'done'] : ['answer', 'done', 'snooze'])
}

function isWaitingForLimit({ session, now }: NeedFacts): boolean {
  const resetsAt = session.agentInfo?.limitResetsAt
  return resetsAt !== undefined && now.getTime() <= resetsAt.getTime() + CONTINUED_MS
}

function ofPermission(facts: NeedFacts): Need {
  const first = [...facts.permissions].sort(byDeadline)[0]!
  const since = facts.permissions.map(({ askedAt }) => askedAt).sort()[0]!
  // Anything that cannot be read here is not allowed with one key.
  const permission = need(
    facts,
    'permission',
    describeRequest(first).join('\n'),
    first.isCut ? ['reject'] : ['allow', 'reject'],
  )
  return { ...permission, since, deadline: first.expiresAt, requestId: first.requestId }
}

function byDeadline(a: PermissionRequest, b: PermissionRequest): number {
  return compareDeadlines(a.expiresAt, b.expiresAt) || compare(a.askedAt, b.askedAt)
}

/** The earliest first; one without is last. */
export function compareDeadlines(a: string | null, b: string | null): number {
  if (a === b) return 0
  if (a === null) return 1
  return b === null ? -1 : compare(a, b)
}

export function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

function ofQuestion(facts: NeedFacts): Need {
  return need(facts, 'question', lastMessage(facts) ?? reasonIn(facts), ['answer', 'snooze'])
}

const BY_CAUSE: Partial<Record<ErrorCause, NeedAct[]>> = {
  signed_out: ['sign_in', 'retry', 'snooze'],
}

function ofBlocked(facts: NeedFacts): Need {
  const message = errorMessage(facts.session.agentInfo?.blockedBy ?? '') || (lastMessage(facts) ?? reasonIn(facts))
  const cause = causeOf(message)
  return error(facts, cause, message, BY_CAUSE[cause] ?? ['retry', 'answer', 'snooze'])
}

/** Its turn ended because nobody was there: that is not finished work. */
function ofExpired(facts: NeedFacts): Need | null {
  const expired = facts.session.agentInfo?.expiredRequest
  if (!expired) return null
  const matter = `Nobody answered in time; it was refused: ${expired.text}`
  return { ...error(facts, 'expired', matter, ['ask_again', 'answer', 'done', 'snooze']), since: expired.at }
}

function ofFinished(facts: NeedFacts): Need {
  // The turn ended when the agent was last active; its status is older.
  const last = facts.session.lastActivityAt
  const ended = Number.isNaN(last.getTime()) ? facts.since : last.toISOString()
  const finished = need(facts, 'finished', lastMessage(facts) ?? 'It finished its turn.', [
    'hand_in',
    'done',
    'answer',
    'snooze',
  ])
  return { ...finished, since: ended }
}

function error(facts: NeedFacts, cause: ErrorCause, matter: string, acts: NeedAct[]): Need {
  return { ...need(facts, 'error', matter, acts), cause }
}

const LONGEST_MATTER = 4_000

function need({ since }: NeedFacts, kind: NeedKind, matter: string, acts: NeedAct[]): Need {
  return { kind, matter: bounded(kind, matter), cause: null, since, deadline: null, acts, requestId: null }
}

/** The end of what an agent says counts most; of a request, the beginning, and `ao session show` has all of it. */
function bounded(kind: NeedKind, matter: string): string {
  if (matter.length <= LONGEST_MATTER) return matter
  if (kind !== 'permission') return `… ${matter.slice(-LONGEST_MATTER)}`
  return `${matter.slice(0, LONGEST_MATTER)}…\nThis is cut: read all of it with ao session show.`
}

function lastMessage({ session }: NeedFacts): string | null {
  return session.agentInfo?.lastMessage?.trim() || null
}

function pullTitle({ session }: NeedFacts): string {
  return session.pr?.title ?? recordOf(session).prTitle ?? recordOf(session).issueTitle ?? session.id
}

function unsolved(facts: NeedFacts): string {
  return openTask(facts) ?? lastMessage(facts) ?? reasonIn(facts)
}

/** What the agent says at the end rarely names what it was working on. */
function whyStuck(facts: NeedFacts): string {
  return [openTask(facts), lastMessage(facts) ?? 'It has been silent in the middle of its turn.']
    .filter(Boolean)
    .join('\n')
}

/** What the agent was asked for in vain. null: its pull request asks for nothing. */
function openTask({ session }: NeedFacts): string | null {
  const { ci, review, mergeable, left } = recordOf(session).prFacts ?? {}
  if (ci === 'failing') return 'CI fails, and the agent has not fixed it.'
  if (review === 'changes_requested') return 'Changes were requested, and the agent has not made them.'
  if (left !== undefined) return `It left the train: ${left}. The agent has not repaired it.`
  if (mergeable === false) return 'It cannot be merged as it is, and the agent has not solved that.'
  return null
}

function reasonIn({ evidence }: NeedFacts): string {
  return evidence.map(errorMessage).filter(Boolean).join('; ') || 'It waits for you.'
}

export function isCalling(kind: NeedKind): boolean {
  return NEED_KINDS.indexOf(kind) < NEED_KINDS.indexOf('review')
}
