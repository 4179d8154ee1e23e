// One session as a round observed it, with nothing in it but states, numbers, times, ids of sessions and hashes. Anything else is left
// out.

import type { PullFacts } from '../../contract/pull.ts'
import { type RecordName, readRecord } from '../../contract/record.ts'
import { jsonValue } from '../../contract/record-values.ts'
import { checkId, type LandingFailure, type PullNews } from '../../core/reactions/pull-news.ts'
import { signature } from '../../core/reactions/shared-failures.ts'
import type { MaskedNews, SessionFacts } from '../../core/recording/cassette.ts'
import type { RadarView } from '../loop/loop-context.ts'
import type { Observation } from '../tick/observe-session.ts'
import type { Mask } from './mask.ts'

/** Checks of this name are for nobody: a reviewer's findings are heard by themselves. */
export type Unheard = (check: string) => boolean

export type MaskedFacts = Omit<SessionFacts, 'record' | 'memory'>

export function maskFacts(
  one: Observation,
  { mask, radar, isUnheard }: { mask: Mask; radar: RadarView | undefined; isUnheard: Unheard },
): MaskedFacts {
  const { observed } = one
  const { session, facts, liveness, reading, info } = observed
  const { operation } = facts
  const cost = info?.cost
  return {
    live: liveness && {
      state: liveness.state,
      ...(liveness.state === 'dead' && { exitCode: liveness.exitCode ?? null, signal: signalOf(liveness.signal) }),
      ...(liveness.state === 'unknown' && { lost: liveness.agent !== undefined }),
    },
    reading: reading && { state: reading.state, at: reading.timestamp?.getTime() ?? null },
    operation: operation && {
      kind: operation.kind,
      ownerAlive: operation.ownerAlive,
      keepWorkspace: operation.data?.keepWorkspace === true,
    },
    limitResetsAt: facts.limitResetsAt ?? null,
    isPaused: facts.isPaused === true,
    isFleetPaused: observed.isFleetPaused,
    isGlimpse: observed.isGlimpse,
    isActing: one.isActing,
    promptSeen: one.promptSeen,
    expired: info?.expiredRequest !== undefined,
    cost: cost
      ? [cost.inputTokens, cost.outputTokens, cost.cacheReadTokens, cost.cacheWriteTokens, cost.estimatedCostUsd]
      : null,
    head: one.head === null ? null : mask(one.head),
    pulls: one.pulls.map((news) => maskNews(news, mask, isUnheard)),
    collisions: radar
      ? (radar.collisions.get(session.id) ?? []).map(({ other, files, red }) => ({
          other: mask(other.id),
          files: files.map(({ path }) => mask(path)),
          ...(red && { red: mask(`${red.check} ${red.test ?? ''}`) }),
        }))
      : null,
    undecided: [...one.undecided].map((key) => mask.key(key)),
  }
}

function signalOf(signal: string | null | undefined): string | null {
  return signal && /^SIG[A-Z0-9]{1,10}$/.test(signal) ? signal : signal ? 'SIG' : null
}

/** Values that say nothing but what their key can say: an enumeration, a number, a time. */
const AS_IS: readonly RecordName[] = [
  'status',
  'launched',
  'endedAs',
  'mergeReported',
  'alarm',
  'statusSince',
  'statusBefore',
  'role',
  'paused',
  'waitsSince',
  'startMode',
  'createdAt',
  'restoredAt',
  'launch',
  'promptDelivered',
  'operation',
  'lastMessageAt',
  'attendedAt',
  'snoozedUntil',
  'snoozedNeed',
  'usageTokens',
  'usageCostUsd',
  'earlierTokens',
  'earlierCostUsd',
  'budgetUsd',
  'prState',
  'ci',
  'review',
  'prConflicts',
  'prAutoDetect',
]

/** Names from the configuration: of agents and accounts. */
const NAMES: readonly RecordName[] = ['agent', 'account', 'firstAgent']
const NAME = /^[\w.-]{1,64}$/

/** Nothing of a pair that is not named above. */
export function maskRecord(pairs: Readonly<Record<string, string>>, mask: Mask): Record<string, string> {
  const record = readRecord(pairs)
  const kept: Record<string, string> = {}
  // A value that its key cannot have counts as absent in the record, too.
  for (const name of AS_IS) if (pairs[name] !== undefined && record[name] !== undefined) kept[name] = pairs[name]
  for (const name of NAMES) if (pairs[name] !== undefined) kept[name] = nameOf(pairs[name], mask)
  if (record.branch) kept.branch = mask(record.branch)
  if (record.baseBranch) kept.baseBranch = mask(record.baseBranch)
  if (record.issue) kept.issue = mask(record.issue)
  if (record.prHead) kept.prHead = mask(record.prHead)
  if (record.pr) kept.pr = mask.url(record.pr)
  if (record.prs) kept.prs = record.prs.map((url) => mask.url(url)).join(' ')
  if (record.prFacts) kept.prFacts = jsonValue(maskPullFacts(record.prFacts, mask))
  if (record.otherPulls) kept.otherPulls = jsonValue(record.otherPulls.map((one) => maskPullFacts(one, mask)))
  if (record.messagesOnTheWay) kept.messagesOnTheWay = record.messagesOnTheWay.map((id) => mask(id)).join(' ')
  const { switchTo, limits, stopped, task } = record
  if (switchTo) kept.switchTo = jsonValue({ account: accountOf(switchTo.account, mask), why: mask(switchTo.why) })
  if (limits)
    kept.limits = jsonValue(
      limits.map(({ agent, account, until, why }) => ({
        agent: nameOf(agent, mask),
        account: accountOf(account, mask),
        until: new Date(until).toISOString(),
        ...(why !== undefined && { why: mask(why) }),
      })),
    )
  if (stopped)
    kept.stopped = jsonValue({ state: stopped.state, at: '', why: mask(stopped.why), spawnId: mask(stopped.spawnId) })
  if (task)
    kept.task = jsonValue({ id: 't00000000', kind: task.kind, index: task.index, of: task.of, chosen: task.chosen })
  return kept
}

function nameOf(name: string, mask: Mask): string {
  return NAME.test(name) ? name : mask(name)
}

function accountOf(account: string | null, mask: Mask): string | null {
  return account === null ? null : nameOf(account, mask)
}

function maskPullFacts(facts: PullFacts, mask: Mask): PullFacts {
  const { state, ci, review, mergeable, isDraft, left, waits, byHand, isOwn, branch, base, head } = facts
  return {
    url: mask.url(facts.url),
    state,
    ci,
    review,
    mergeable,
    ...(isDraft && { isDraft }),
    ...(left !== undefined && { left: mask(left) }),
    ...(waits !== undefined && { waits: mask(waits) }),
    ...(byHand && { byHand }),
    ...(isOwn && { isOwn }),
    ...(branch !== undefined && { branch: mask(branch) }),
    ...(base !== undefined && { base: mask(base) }),
    ...(head !== undefined && { head: mask(head) }),
  }
}

function maskNews(news: PullNews, mask: Mask, isUnheard: Unheard): MaskedNews {
  const { pull, facts, landing, reviewed } = news
  const { pr, state, headSha, ci, review, hasConflicts, mergeable, failingOnBase } = pull
  const nameOfCheck = (name: string) => mask(checkId(name))
  return {
    pull: {
      pr: {
        url: mask.url(pr.url),
        number: pr.number,
        ...(pr.branch !== undefined && { branch: mask(pr.branch) }),
        ...(pr.baseBranch !== undefined && { baseBranch: mask(pr.baseBranch) }),
        ...(pr.isDraft && { isDraft: true }),
      },
      state,
      headSha: mask(headSha),
      ci,
      review,
      hasConflicts,
      mergeable,
      failingOnBase: failingOnBase.map(nameOfCheck),
    },
    facts: maskPullFacts(facts, mask),
    isFurther: news.isFurther === true,
    failedChecks: news.failedChecks
      .filter(({ name }) => !isUnheard(name))
      .map(({ name, logTail }) => ({ name: nameOfCheck(name), logTail: mask(signature(logTail)) })),
    remarks: news.remarks.map(({ id, isBot }) => ({ id: mask(id), isBot })),
    requests: news.requests.map((id) => mask(id)),
    isAboard: news.isAboard === true,
    isInLine: news.isInLine === true,
    landing: landing ? maskLanding(landing, mask) : null,
    reviewable: news.reviewable === true,
    reviewed: reviewed
      ? {
          reviewer: mask(reviewed.reviewer),
          failed: reviewed.failed === null ? null : mask(reviewed.failed),
          findings: reviewed.findings.length,
        }
      : null,
    reviewFrom: news.reviewFrom === undefined ? null : mask(news.reviewFrom),
    isReviewOutdated: news.isReviewOutdated === true,
  }
}

function maskLanding(landing: LandingFailure, mask: Mask): Record<string, unknown> {
  const { why } = landing
  if (why === 'red')
    return { why, check: mask(checkId(landing.check)), commit: mask.fingerprint(landing.commit), ahead: landing.ahead }
  if (why === 'stranded') return { why, commit: mask.fingerprint(landing.commit), pulls: landing.pulls }
  if (why === 'refused') return { why }
  const { onto, partners } = landing
  return {
    why,
    files: landing.files.map((path) => mask(path)),
    ...(partners && { partners }),
    ...(onto && { onto: { commit: mask.fingerprint(onto.commit), pulls: onto.pulls } }),
  }
}
