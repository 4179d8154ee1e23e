// Writes what a tick found out into the session's record: one update, and an event with the evidence for a new status.

import type { ProjectConfig } from '../../contract/config.ts'
import type { Pull, PullFacts } from '../../contract/pull.ts'
import { changesPairs, type RecordChange, recordOf } from '../../contract/record.ts'
import type { Session } from '../../contract/session.ts'
import type { SessionStatus } from '../../contract/status.ts'
import type { PullNews } from '../../core/reactions/pull-news.ts'
import { AGENT_DOES, handFact, leftFact } from '../../core/status/explain-status.ts'
import { recordedPulls } from '../../core/status/recorded-facts.ts'
import { spentOf, usageChange } from '../../core/status/spent.ts'
import { readHead } from '../../git/git-dir.ts'
import { measure } from '../../lib/measures.ts'
import { unknownAgent } from '../../manager/observe/observe-sessions.ts'
import type { LoopContext } from '../loop/loop-context.ts'
import type { Judged, Observation } from './observe-session.ts'

export interface Recorded {
  session: Session
  /** false: another command or the agent's own wrapper wrote something else meanwhile, and that stands. */
  isCurrent: boolean
}

export async function recordChanges(loop: LoopContext, project: ProjectConfig, observation: Judged): Promise<Recorded> {
  const { observed, status } = observation
  const { session } = observed
  // Another command is working: the record is its own until it is done.
  if (observed.facts.operation) return { session, isCurrent: false }
  const change = changesOf(observation, loop.context.clock.now())
  if (!isWorthWriting(session, change) && isNoted(session, status))
    return { session: { ...session, status }, isCurrent: true }
  const isChanged = status !== session.status
  let isCurrent = true
  const stored = await loop.context.store(project.id).update(
    session.id,
    // A command may have started meanwhile, or the agent's own wrapper may have written more: it is decided under the lock.
    (now) => {
      isCurrent = now.operation === undefined && now.status === recordOf(session).status
      return isCurrent ? change : {}
    },
    [],
    evidenceFor(observation),
  )
  if (isCurrent) measureUsage(loop, session, change)
  if (isCurrent && isChanged)
    loop.say(`${session.id}: ${session.status} → ${status} (${evidenceFor(observation).join('; ') || 'time passed'})`)
  return { session: stored, isCurrent }
}

/** The record says so, and so does the history. */
function isNoted(session: Session, status: SessionStatus): boolean {
  const record = recordOf(session)
  return record.status === status && record.statusBefore === undefined
}

/** The time of the last activity changes constantly; on its own it is written only occasionally. */
const ACTIVITY_WRITE_MS = 15_000

function isWorthWriting(session: Session, change: RecordChange): boolean {
  const { lastActivityAt, ...others } = change
  const before = recordOf(session).lastActivityAt
  if (lastActivityAt && (!before || Math.abs(lastActivityAt.getTime() - before.getTime()) >= ACTIVITY_WRITE_MS))
    return true
  return changesPairs(session.metadata, others)
}

function changesOf(observation: Judged, now: Date): RecordChange {
  const { observed, statusFacts, pulls } = observation
  const [deciding] = pulls
  const { liveness, reading, info } = observed
  return {
    ...usageOf(observation, now),
    usageModel: info?.model,
    promptDelivered: observation.promptSeen ? 'yes' : undefined,
    ...statusFacts,
    model: info?.model,
    activity: unknownAgent(liveness) ? null : reading?.state,
    lastActivityAt: reading?.timestamp,
    summary: info?.summary && info.summaryIsFallback !== true ? info.summary : undefined,
    ...budgetOf(observation),
    ...(deciding && pullOf(deciding)),
    ...(deciding && othersOf(observed.session, pulls)),
    ...(deciding && uncountedOf(deciding.pull, observed.session)),
  }
}

/** The limit, not the amount: that changes all the time. */
function budgetOf({ overBudget, observed }: Judged): RecordChange {
  if (overBudget) return { overBudget: overBudget.over.limitText }
  return recordOf(observed.session).overBudget === undefined ? {} : { overBudget: null }
}

function pullOf({ pull, facts }: PullNews): RecordChange {
  const { pr, headSha, hasConflicts } = pull
  return {
    pr: pr.url,
    prFacts: facts,
    prState: pull.state,
    prHead: headSha,
    ci: pull.ci,
    review: pull.review,
    prConflicts: hasConflicts === null ? 'unknown' : hasConflicts ? 'true' : 'false',
    prTitle: pr.title,
  }
}

/** More than a session that somebody follows has. */
const MOST_PULLS = 20

/** Others that were not read now stay what they were. The branch is that of the work: of several, the one that the workspace is on. */
function othersOf(session: Session, [deciding, ...read]: readonly PullNews[]): RecordChange {
  const record = recordOf(session)
  const others = read.map(({ pull, facts }) => ({ ...facts, title: pull.pr.title, head: pull.headSha }))
  const isUnread = ({ url }: PullFacts) => url !== deciding!.facts.url && !others.some((one) => one.url === url)
  const before = recordedPulls(record).filter(isUnread)
  const kept = before.map((one) =>
    one.url === record.pr ? { ...one, title: record.prTitle, head: record.prHead } : one,
  )
  const all = [...kept, ...others].slice(-MOST_PULLS)
  // The agent may have renamed its branch: the pull request's branch counts from now on.
  if (all.length === 0) return { branch: deciding!.pull.pr.branch, otherPulls: record.otherPulls && null }
  const head = session.workspacePath === null ? null : readHead(session.workspacePath).branch
  const branch = [deciding!.facts, ...all].find((one) => one.branch === head)?.branch
  const named = record.prs?.filter((url) => ![deciding!.facts, ...all].some((one) => one.url === url))
  return { branch, otherPulls: all, prs: named && (named.length === 0 ? null : named) }
}

/** A review that has no consequence: `ao why` must still show the reviewer. */
function uncountedOf({ reviews }: Pull, session: Session): RecordChange {
  const outside = reviews.filter(({ author, state }) => !author.isMember && !author.isBot && state !== 'dismissed')
  const logins = [...new Set(outside.map(({ author }) => author.login))].sort()
  if (logins.length > 0) return { uncountedReviewers: logins }
  return recordOf(session).uncountedReviewers === undefined ? {} : { uncountedReviewers: null }
}

/** Token counts change constantly; once a minute, and with a new status, is enough to plot them over time. */
const USAGE_WRITE_MS = 60_000

function usageOf({ observed, status }: Observation, now: Date): RecordChange {
  const { info, session } = observed
  const spent = info?.cost && spentOf({ ...session, agentInfo: info })
  if (!spent || (spent.tokens === 0 && !spent.costUsd)) return {}
  const { usageTokens = 0, usageCostUsd, usageAt } = recordOf(session)
  const isRecorded = spent.tokens === usageTokens && (spent.costUsd ?? usageCostUsd) === usageCostUsd
  const isDue =
    status !== session.status || usageAt === undefined || now.getTime() - usageAt.getTime() >= USAGE_WRITE_MS
  return isRecorded || !isDue ? {} : usageChange(spent, now)
}

/** Only what it grew by: a restored agent may begin to count anew. */
function measureUsage(loop: LoopContext, session: Session, { usageTokens, usageCostUsd }: RecordChange): void {
  const before = recordOf(session)
  const grown = (now: number | null | undefined, was = 0) => Math.max(0, (now ?? was) - was)
  const tokens = grown(usageTokens, before.usageTokens)
  const costUsd = grown(usageCostUsd, before.usageCostUsd)
  if (tokens === 0 && costUsd === 0) return
  const agent = before.agent ?? 'unknown'
  measure('usage', { repository: loop.context.paths.hash, project: session.projectId, agent, tokens, costUsd })
}

/** Why the status is what it is, in words: kept in the history and shown by `ao why`. */
function evidenceFor({ observed, pulls }: Observation): string[] {
  const { liveness, reading } = observed
  const evidence: string[] = []
  for (const { pull, facts } of pulls) {
    const conflicts = pull.hasConflicts ? ', with conflicts' : ''
    evidence.push(`pull request ${facts.url} is ${facts.state}, CI ${facts.ci}, review ${facts.review}${conflicts}`)
    if (facts.left !== undefined) evidence.push(leftFact(facts.left))
    if (facts.byHand) evidence.push(handFact(pull.pr.baseBranch))
  }
  if (liveness?.state === 'dead')
    evidence.push(liveness.why.startsWith('the agent ') ? liveness.why : `the agent no longer runs: ${liveness.why}`)
  if (reading) evidence.push(`the agent ${AGENT_DOES[reading.state]}${reading.evidence ? `: ${reading.evidence}` : ''}`)
  return evidence
}
