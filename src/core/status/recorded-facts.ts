// What a session's record says about its pull requests and its turn: the forge's last answer, until it gives another, and the
// status that follows from it.
import type { FoundText, PullFacts } from '../../contract/pull.ts'
import { type RecordChange, recordOf, type SessionRecord } from '../../contract/record.ts'
import { submittedAt } from '../../contract/record-values.ts'
import type { PausedAgent, Session } from '../../contract/session.ts'
import type { ActivityState, SessionStatus } from '../../contract/status.ts'
import { isSameAccount, presentAccount } from '../budget/choose-fallback.ts'

/** What the forge last said about each pull request of the session, oldest first. A new one is not among them before it was read. */
export function recordedPulls({ pr, prFacts, otherPulls = [] }: SessionRecord): PullFacts[] {
  if (pr === undefined) return []
  return prFacts ? [...otherPulls.filter(({ url }) => url !== prFacts.url), prFacts] : otherPulls
}

/** Of `pr` alone: facts about an earlier pull request are never taken for those of a new one. */
export function recordedPrFacts(record: SessionRecord): PullFacts | null {
  return recordedPulls(record).find(({ url }) => url === record.pr) ?? null
}

/** What checks found out about it. The record may have been edited by hand. */
export function foundTexts(facts: PullFacts | null): FoundText[] {
  const { findings = [] } = facts ?? {}
  return Array.isArray(findings)
    ? findings.filter((one) => [one?.verdict, one?.text].every((part) => typeof part === 'string'))
    : []
}

/** Of the pull request that the status is about; null: it has none, or its newest was not read yet. */
export function decidingFacts(record: SessionRecord): PullFacts | null {
  return recordedPrFacts(record) && (decidingPull(recordedPulls(record), record.pr) ?? null)
}

/** What waits for the agent, then what waits for a person, then what waits for the forge. */
export const URGENCY: readonly SessionStatus[] = [
  'ci_failed',
  'changes_requested',
  'mergeable',
  'review_pending',
  'approved',
  'pr_open',
]

function urgency(pr: PullFacts): number {
  if (pr.state !== 'open') return URGENCY.length
  return URGENCY.indexOf(pr.left === undefined ? statusOfPr(pr) : 'changes_requested')
}

/**
 * Of several pull requests of a session, oldest first, the one that its status is about: as long as one is open it is that one,
 * and the session is not over. Of equals it stays the `current` one; else the newest counts.
 */
export function decidingPull(pulls: readonly PullFacts[], current: string | undefined): PullFacts | undefined {
  const least = Math.min(...pulls.map(urgency))
  const first = pulls.filter((pull) => urgency(pull) === least)
  return first.find(({ url }) => url === current) ?? first.at(-1)
}

/** A closed pull request is no longer what the session is about; its agent may open another. */
export function statusOfPr(pr: PullFacts): SessionStatus {
  if (pr.state === 'merged') return 'merged'
  if (pr.state === 'closed') return 'working'
  if (pr.ci === 'failing') return 'ci_failed'
  if (pr.review === 'changes_requested') return 'changes_requested'
  const green = pr.ci === 'passing' || pr.ci === 'none'
  if (pr.review === 'approved')
    return green && pr.mergeable === true && pr.left === undefined ? 'mergeable' : 'approved'
  // Whether or not a rule of the forge asks for a review: somebody has to decide about it.
  return green && !pr.isDraft ? 'review_pending' : 'pr_open'
}

/** Those beside `pr`, oldest first. */
export function otherPulls(record: SessionRecord): PullFacts[] {
  return recordedPulls(record).filter(({ url }) => url !== record.pr)
}

/** Everything that it is known to have opened or claimed, oldest first: also what was never read. */
export function pullUrls(record: SessionRecord): string[] {
  if (record.pr === undefined) return []
  const read = recordedPulls(record).map(({ url }) => url)
  return [...new Set([...read, ...(record.prs ?? []), record.pr])]
}

/** The record without this pull request, which is another session's now. */
export function withoutPull(record: SessionRecord, url: string): RecordChange {
  const left = otherPulls(record).filter((one) => one.url !== url)
  const next = record.pr === url ? left.at(-1) : undefined
  const others = left.filter((one) => one !== next)
  return {
    ...(record.pr === url && { pr: next?.url ?? null, prFacts: next ?? null }),
    prs: record.prs?.filter((one) => one !== url),
    otherPulls: others.length === 0 ? null : others,
  }
}

/** Approved, but it left the train, and its agent has to repair that. */
export function hasLeftTrain(session: Session): boolean {
  const facts = decidingFacts(recordOf(session))
  return session.status === 'approved' && facts?.state === 'open' && facts.left !== undefined
}

/** Did the forge itself report it as merged? The status alone may be the agent's claim. */
export function isMergeConfirmed(record: SessionRecord): boolean {
  return record.status === 'merged' && (!record.pr || decidingFacts(record)?.state === 'merged')
}

/** Statuses caused by a verdict of others: the agent's turn began when the status did. */
const ANSWERING: ReadonlySet<SessionStatus | undefined> = new Set<SessionStatus>([
  'working',
  'ci_failed',
  'changes_requested',
])

export function recordedTurn(record: SessionRecord): number | null {
  const verdictAt = ANSWERING.has(record.status) ? record.statusSince : undefined
  const times = [messageAt(record), verdictAt].flatMap((date) => date?.getTime() ?? [])
  return times.length === 0 ? null : Math.max(...times)
}

/** When it got its last message: an agent may write what it does with it before that is recorded as handed over. */
function messageAt(record: SessionRecord): Date | undefined {
  return submittedAt(record) ?? record.lastMessageAt
}

/** What an agent's own records say that it is doing. */
export interface RecordedActivity {
  state: ActivityState
  timestamp?: Date | undefined
  evidence?: string | undefined
  turnEnded?: true | undefined
}

/** What the session's record knows better than the agent does. */
export function heedRecord<R extends RecordedActivity>(
  session: Session,
  reading: R | null,
): R | RecordedActivity | null {
  return parked(session, finished(session, reading))
}

/**
 * An agent writes its records a moment after it took a message. Until they show something newer than that, they end with the turn
 * before: it is not at rest, and that turn's end is no news.
 */
export function heedMessage<R extends RecordedActivity>(
  session: Session,
  reading: R | null,
  now: Date,
): R | RecordedActivity | null {
  if (!reading?.timestamp || !SETTLED.has(reading.state)) return reading
  const at = messageAt(recordOf(session))
  if (!at || reading.timestamp >= at || at > now || now.getTime() - at.getTime() > RECORDED_MS) return reading
  return { state: 'active', timestamp: at, evidence: 'it has just got a message, which its records do not show yet' }
}

/** An agent whose records do not show a message by then has not begun with it. */
export const RECORDED_MS = 10_000

/** What the end of a turn leaves. */
const SETTLED: ReadonlySet<ActivityState> = new Set(['ready', 'idle', 'blocked'])

/** A turn that ended well without a pull request waits for a person, who may take their time: its agent is not stuck. */
function finished<R extends RecordedActivity>(session: Session, reading: R | null): R | null {
  if (!reading?.turnEnded || reading.state !== 'idle' || session.pr !== null) return reading
  return { ...reading, state: 'ready' }
}

/** Restored as it was while its account is limited: it waits, until it is asked to continue. */
function parked<R extends RecordedActivity>(session: Session, reading: R | null): R | RecordedActivity | null {
  const record = recordOf(session)
  const present = record.limits && presentAccount(record)
  const limit = present && record.limits?.find((one) => one.why === undefined && isSameAccount(one, present))
  if (!limit || record.restoredAt === undefined || Date.parse(limit.until) <= record.restoredAt.getTime())
    return reading
  if (reading && reading.state !== 'ready' && reading.state !== 'idle') return reading
  if (record.lastMessageAt && record.lastMessageAt > record.restoredAt) return reading
  return { state: 'blocked', timestamp: record.restoredAt, evidence: `limit reached, resets at ${limit.until}` }
}

/** As `ao pause` left it. */
interface FleetStop {
  state: 'paused' | 'resuming'
  at: string
  by: string
  reason?: string | undefined
  until?: string | undefined
  stopped: ReadonlyArray<{ spawnId: string }>
}

/** null: nobody stopped its agent. */
export function pausedAgent(
  sessionId: string,
  { spawnId, stopped }: Pick<SessionRecord, 'spawnId' | 'stopped'>,
  fleet: FleetStop | null,
): PausedAgent | null {
  if (stopped?.state === 'stopped' && stopped.spawnId === spawnId) {
    const resumes = `it goes on when it may spend more: ao session budget ${sessionId} <amount>`
    return { since: stopped.at, why: `by the budget: ${stopped.why}`, resumes }
  }
  if (fleet?.state !== 'paused' || !fleet.stopped.some((one) => one.spawnId === spawnId)) return null
  const { at, by, reason, until } = fleet
  const resumes = `it goes on ${until === undefined ? '' : `at ${until}, or `}with: ao resume`
  return { since: at, why: `by ${by}${reason === undefined ? '' : `: ${reason}`}`, resumes }
}
