// What a pull request calls for, and what is certainly over about it. Pure.

import type { HandIn } from '../../contract/forges.ts'
import type { Condition, Fallback, MemoryKey, ReactionKey } from '../../contract/reactions.ts'
import type { SessionStatus } from '../../contract/status.ts'
import type { OverBudget } from '../budget/find-over-budget.ts'
import type { Collision } from '../radar/collisions.ts'
import { statusOfPr, URGENCY } from '../status/recorded-facts.ts'
import { ciMessage, commentsMessage, conflictsMessage, findingsMessage, landingMessage } from './messages.ts'
import type { LandingFailure, PullNews } from './pull-news.ts'
import { checkId, departureOf, memoryOf, reportedChecks } from './pull-news.ts'

export interface ConditionFacts {
  sessionId: string
  status: SessionStatus
  /** The n-th start of the agent; a restarted one may exit again. */
  launch: number
  activity: { state: string; at: number } | null
  /** Its pull requests as they were read now, the one that its status is about first. Empty: none, or unknown. */
  pulls: readonly PullNews[]
  /** URLs of those that are merged. */
  merged?: readonly string[] | undefined
  /** The question on the screen, when there is one. */
  question: string | null
  /** Its turn is over, as the queue has it, and the request that nobody answered in time; null: it is not. */
  finished: { expired: string | null } | null
  /** Checks that fail on the base branch or in several sessions: not for this agent. */
  sharedFailures: string[]
  baseBranch: string
  /** Branches further than its own that it conflicts with. null: not known now. */
  collisions: Collision[] | null
  handIn: HandIn
  /** The limit that was reached, and the day; null: it may spend more. undefined: nothing is counted. */
  overBudget?: { over: OverBudget; day: string } | null | undefined
  /** When a limit that blocks the agent is reset. */
  limitResetsAt?: number | null | undefined
  /** The account that it continues with meanwhile; null: it waits. */
  fallback?: Fallback | null | undefined
  /** What each reaction has already reported, to anyone: the fingerprint of its last success. */
  told: Partial<Record<MemoryKey, string>>
  /** The part of it that the agent itself has received. */
  heard: Partial<Record<MemoryKey, string>>
  now: number
}

export function idsIn(fingerprint: string | undefined): string[] {
  return (fingerprint ?? '').split(' ').filter(Boolean)
}

/** Remarks that were reported once stay in: remarks that come and go must not make old ones new. */
export function union(told: string[], now: string[]): string {
  return [...new Set([...told, ...now])].sort().join(' ')
}

export function condition(
  facts: ConditionFacts,
  key: ReactionKey,
  fingerprint: string,
  summary: string,
  since: number | null = null,
): Condition {
  return { key, memory: key, fingerprint, since, summary, message: `${facts.sessionId}: ${summary}` }
}

export function ofPull(facts: ConditionFacts, news: PullNews): Array<Condition | null> {
  const { state, pr } = news.pull
  // The work is done; what was closed on the way is history.
  if (state === 'merged' || (state === 'closed' && facts.status === 'merged')) return []
  if (state === 'closed')
    return [ofOne(facts, news, 'pr-closed', pr.url, `its pull request ${pr.url} was closed without merging`)]
  return [
    ofCi(facts, news),
    ofRemarks(facts, news, 'changes-requested'),
    ofRemarks(facts, news, 'bugbot-comments'),
    ofConflicts(facts, news),
    ofLanding(facts, news),
    ofReview(facts, news),
    ofFindings(facts, news),
    ofReadiness(facts, news),
  ]
}

function ofOne(
  facts: ConditionFacts,
  news: PullNews,
  key: ReactionKey,
  fingerprint: string,
  summary: string,
): Condition {
  const { url, number } = news.pull.pr
  const isNamed = facts.pulls.length === 1 || summary.includes(`#${number} `) || summary.includes(url)
  const found = condition(facts, key, fingerprint, isNamed ? summary : `#${number}: ${summary}`)
  return { ...found, memory: memoryOf(key, news), pull: url }
}

function baseOf({ baseBranch }: ConditionFacts, { pull }: PullNews): string {
  return pull.pr.baseBranch ?? baseBranch
}

function ofCi(facts: ConditionFacts, news: PullNews): Condition | null {
  const { ci, headSha } = news.pull
  const own = news.failedChecks.filter(({ name }) => !facts.sharedFailures.includes(name))
  if (ci !== 'failing' || own.length === 0) return null
  const names = own.map(({ name }) => name).sort()
  const told = reportedChecks(facts.told[memoryOf('ci-failed', news)], headSha)
  const heard = reportedChecks(facts.heard[memoryOf('ci-failed', news)], headSha)
  const fresh = own.filter(({ name }) => !heard.includes(checkId(name)))
  const fingerprint = `${headSha} ${union(told, names.map(checkId))}`
  return {
    ...ofOne(facts, news, 'ci-failed', fingerprint, `CI fails: ${names.join(', ')}`),
    message: ciMessage(news.pull, fresh.length > 0 ? fresh : own, facts.handIn),
  }
}

/** Remarks by people and by bots are different reactions with the same shape. Only new ones are reported. */
function ofRemarks(
  facts: ConditionFacts,
  news: PullNews,
  key: 'changes-requested' | 'bugbot-comments',
): Condition | null {
  const open = news.remarks.filter(({ isBot }) => isBot === (key === 'bugbot-comments'))
  if (open.length === 0) return key === 'changes-requested' ? ofBareVerdict(facts, news) : null
  const told = idsIn(facts.told[memoryOf(key, news)])
  const heard = idsIn(facts.heard[memoryOf(key, news)])
  const fresh = open.filter(({ id }) => !heard.includes(id))
  const fingerprint = union(
    told,
    open.map(({ id }) => id),
  )
  const authors = [...new Set(open.map(({ author }) => author))].join(', ')
  const summary = `${open.length} open remark${open.length === 1 ? '' : 's'} by ${authors}`
  return {
    ...ofOne(facts, news, key, fingerprint, summary),
    message: commentsMessage(news.pull, fresh, facts.handIn),
  }
}

/** A reviewer may request changes without a comment. Each verdict is one, however often the head moves meanwhile. */
function ofBareVerdict(facts: ConditionFacts, news: PullNews): Condition | null {
  const { review, pr } = news.pull
  if (review !== 'changes_requested') return null
  const verdicts = news.requests.length > 0 ? news.requests : [`verdict-${pr.number}`]
  const fingerprint = union(idsIn(facts.told[memoryOf('changes-requested', news)]), verdicts)
  return {
    ...ofOne(facts, news, 'changes-requested', fingerprint, 'a reviewer asks for changes'),
    message: commentsMessage(news.pull, [], facts.handIn),
  }
}

function ofConflicts(facts: ConditionFacts, news: PullNews): Condition | null {
  const { hasConflicts, headSha } = news.pull
  // The train has asked for exactly that, and said onto what.
  if (hasConflicts !== true || news.isAboard || news.isInLine || news.landing?.why === 'conflict') return null
  const base = baseOf(facts, news)
  // One that returns to an earlier head has not asked anew.
  const heads = idsIn(facts.told[memoryOf('merge-conflicts', news)]).filter((word) => word !== 'conflicts')
  const fingerprint = [...new Set([...heads, headSha]), 'conflicts'].join(' ')
  return {
    ...ofOne(facts, news, 'merge-conflicts', fingerprint, `it conflicts with ${base}`),
    message: conflictsMessage(news.pull, base, facts.handIn),
  }
}

/** Without conflicts, but not tested: an agent may be in the middle of a rebase, and return to where it was. */
export function hasLapsed({ pull, isAboard }: PullNews): boolean {
  return pull.state === 'open' && pull.hasConflicts === false && !isAboard && !isProven(pull)
}

/** It left the train because of a conflict, with an earlier head. One that was red there was green by itself before. */
function wasConflict(facts: ConditionFacts, news: PullNews): boolean {
  return !news.landing && idsIn(facts.told[memoryOf('landing-failed', news)]).includes('conflict')
}

function isProven({ ci, review }: PullNews['pull']): boolean {
  return ci === 'passing' || (ci === 'none' && review === 'approved')
}

/** Once for each head: the agent repairs it with a new one. */
function ofLanding(facts: ConditionFacts, news: PullNews): Condition | null {
  const { landing, pull } = news
  if (!landing) return null
  const base = baseOf(facts, news)
  const summary = `#${pull.pr.number} left the train: ${departureOf(landing, base)}`
  return {
    ...ofOne(facts, news, 'landing-failed', `${pull.headSha} ${landingWord(landing)}`, summary),
    message: landingMessage(pull, landing, base, facts.handIn),
  }
}

function landingWord(landing: LandingFailure): string {
  if (landing.why === 'red') return `${checkId(landing.check)} ${landing.commit}`
  if (landing.why === 'conflict' && landing.onto && landing.onto.pulls.length > 0)
    return `conflict ${landing.onto.commit}`
  return landing.why
}

/** Once for each head and base, and again when the base took in part of it: a reviewer reads exactly that. */
function ofReview(facts: ConditionFacts, news: PullNews): Condition | null {
  if (!news.reviewable) return null
  const { headSha, pr } = news.pull
  const fingerprint = [headSha, baseOf(facts, news), ...(news.reviewFrom ? [news.reviewFrom] : [])].join(' ')
  return {
    ...ofOne(facts, news, 'review', fingerprint, `#${pr.number} is ready for a review`),
    action: 'review',
    headSha,
  }
}

/** All findings about a head are one message; a review that came to nothing is for a person. */
function ofFindings(facts: ConditionFacts, news: PullNews): Condition | null {
  const { reviewed, pull } = news
  if (!reviewed) return null
  const { reviewer, failed, findings } = reviewed
  // Where the loop starts reviewers, it starts the next one.
  if (news.isReviewOutdated && !news.reviewable) {
    const summary = `${baseOf(facts, news)} took in part of #${pull.pr.number} since ${reviewer} reviewed it, and its gate waits for a review of the rest: ao review start ${facts.sessionId}`
    const fingerprint = `${reviewer} outdated ${news.reviewFrom}`
    return { ...ofOne(facts, news, 'review-findings', fingerprint, summary), action: 'notify' }
  }
  if (failed !== null) {
    const summary = `the review of #${pull.pr.number} by ${reviewer} came to nothing: ${failed}`
    return { ...ofOne(facts, news, 'review-findings', `${reviewer} failed`, summary), action: 'notify' }
  }
  if (findings.length === 0) return null
  const count = `${findings.length} finding${findings.length === 1 ? '' : 's'}`
  return {
    ...ofOne(facts, news, 'review-findings', reviewer, `${reviewer} has ${count} in #${pull.pr.number}`),
    message: findingsMessage(pull, reviewed, facts.handIn),
  }
}

/** With several, the status may be about another one. */
const IN_REVIEW: ReadonlySet<SessionStatus> = new Set(URGENCY)

function isReady(facts: ConditionFacts, news: PullNews): boolean {
  if (statusOfPr(news.facts) !== 'mergeable') return false
  return facts.status === 'mergeable' || (facts.pulls.length > 1 && IN_REVIEW.has(facts.status))
}

function ofReadiness(facts: ConditionFacts, news: PullNews): Condition | null {
  if (!isReady(facts, news)) return null
  const { headSha, pr } = news.pull
  return { ...ofOne(facts, news, 'approved-and-green', headSha, `${pr.url} is approved and green`), headSha }
}

const OF_PULL: readonly ReactionKey[] = [
  'ci-failed',
  'changes-requested',
  'bugbot-comments',
  'merge-conflicts',
  'landing-failed',
  'review',
  'review-findings',
  'approved-and-green',
  'pr-closed',
]

export function overWith(facts: ConditionFacts, news: PullNews): ReactionKey[] {
  const { pull, remarks } = news
  const over: ReactionKey[] = []
  if (pull.state === 'merged') return [...OF_PULL]
  if (pull.ci === 'passing' || pull.ci === 'none') over.push('ci-failed')
  if (pull.review !== 'changes_requested' && !remarks.some(({ isBot }) => !isBot)) over.push('changes-requested')
  if (!remarks.some(({ isBot }) => isBot)) over.push('bugbot-comments')
  if (pull.hasConflicts === false && !news.isAboard && isProven(pull)) over.push('merge-conflicts')
  if (wasConflict(facts, news) && pull.hasConflicts === false && isProven(pull)) over.push('landing-failed')
  if (!isReady(facts, news)) over.push('approved-and-green')
  if (pull.state === 'open') over.push('pr-closed')
  return over
}
