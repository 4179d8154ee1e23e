// What a session's record says about its pull request and its turn: the forge's last answer, until it gives another.
import type { PullFacts } from '../../contract/pull.ts'
import { recordOf, type SessionRecord } from '../../contract/record.ts'
import type { Session } from '../../contract/session.ts'
import type { SessionStatus } from '../../contract/status.ts'
import { isOrchestratorSession } from './describe-session.ts'

/** Facts about an earlier pull request are never taken for those of a new one. */
export function recordedPrFacts({ pr, prFacts }: SessionRecord): PullFacts | null {
  if (!prFacts || prFacts.url !== pr) return null
  const { url: _, ...facts } = prFacts
  return facts
}

/** Approved, but it left the train, and its agent has to repair that. */
export function hasLeftTrain(session: Session): boolean {
  const facts = recordedPrFacts(recordOf(session))
  return session.status === 'approved' && facts?.state === 'open' && facts.left !== undefined
}

/** Did the forge itself report it as merged? The status alone may be the agent's claim. */
export function isMergeConfirmed(record: SessionRecord): boolean {
  return record.status === 'merged' && (!record.pr || recordedPrFacts(record)?.state === 'merged')
}

/** Statuses caused by a verdict of others: the agent's turn began when the status did. */
const ANSWERING: ReadonlySet<SessionStatus | undefined> = new Set<SessionStatus>([
  'working',
  'ci_failed',
  'changes_requested',
])

export function recordedTurn({ lastMessageAt, status, statusSince }: SessionRecord): number | null {
  const times = [lastMessageAt, ANSWERING.has(status) ? statusSince : undefined].flatMap(
    (date) => date?.getTime() ?? [],
  )
  return times.length === 0 ? null : Math.max(...times)
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
