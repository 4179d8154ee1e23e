// Which facts of a session call for a reaction, and which conditions are certainly over. Pure.
import { REACTION_KEYS } from '../../contract/config/reaction-keys.ts'
import type { HandIn } from '../../contract/forges.ts'
import type { Condition, Fallback, ReactionKey } from '../../contract/reactions.ts'
import { type SessionStatus, TERMINAL_STATUSES } from '../../contract/status.ts'
import { budgetFingerprint, type OverBudget } from '../budget/find-over-budget.ts'
import { isReset } from '../budget/limit-reset.ts'
import { type Collision, collisionMessage, collisionSummary, describeCollisions } from '../radar/collisions.ts'
import { ciMessage, commentsMessage, conflictsMessage, idleMessage, landingMessage } from './messages.ts'
import type { LandingFailure, PrView } from './pr-view.ts'
import { AGENT_KEYS } from './work-progress.ts'

export interface ConditionFacts {
  sessionId: string
  status: SessionStatus
  /** The n-th start of the agent; a restarted one may exit again. */
  launch: number
  activity: { state: string; at: number } | null
  /** null: unknown or none. */
  pr: PrView | null
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
  told: Partial<Record<ReactionKey, string>>
  /** The part of it that the agent itself has received. */
  heard: Partial<Record<ReactionKey, string>>
  now: number
}

export interface FoundConditions {
  conditions: Condition[]
  resolved: ReactionKey[]
  /** The occasion is over; whether its cause is, only progress of the work shows. */
  calmed: ReactionKey[]
}

export function findConditions(facts: ConditionFacts): FoundConditions {
  const found: Array<Condition | null> = [
    ...ofPr(facts),
    ofCollisions(facts),
    ofBudget(facts),
    ofFallback(facts),
    ofLimit(facts),
    ofAgent(facts),
  ]
  const conditions = found.filter((one) => one !== null)
  const held = new Set(conditions.map(({ key }) => key))
  return {
    conditions,
    resolved: certainlyOver(facts).filter((key) => !held.has(key)),
    calmed: calmedDown(facts).filter((key) => !held.has(key)),
  }
}

function ofPr(facts: ConditionFacts): Array<Condition | null> {
  const { pr } = facts
  if (!pr) return []
  if (pr.state === 'closed') {
    return [condition(facts, 'pr-closed', pr.url, `its pull request ${pr.url} was closed without merging`)]
  }
  if (pr.state === 'merged') return []
  return [
    ofCi(facts, pr),
    ofRemarks(facts, pr, 'changes-requested'),
    ofRemarks(facts, pr, 'bugbot-comments'),
    ofConflicts(facts, pr),
    ofLanding(facts, pr),
    ofReadiness(facts, pr),
  ]
}

function ofCi(facts: ConditionFacts, pr: PrView): Condition | null {
  const own = pr.failedChecks.filter(({ name }) => !facts.sharedFailures.includes(name))
  if (pr.ci !== 'failing' || own.length === 0) return null
  const names = own.map(({ name }) => name).sort()
  const told = reportedChecks(facts.told['ci-failed'], pr.headSha)
  const heard = reportedChecks(facts.heard['ci-failed'], pr.headSha)
  const fresh = own.filter(({ name }) => !heard.includes(checkId(name)))
  const fingerprint = `${pr.headSha} ${union(told, names.map(checkId))}`
  return {
    ...condition(facts, 'ci-failed', fingerprint, `CI fails: ${names.join(', ')}`),
    message: ciMessage(pr, fresh.length > 0 ? fresh : own, facts.handIn),
  }
}

/** Checks of this commit that the agent already knows about: they fail one after the other, and each is reported once. */
export function reportedChecks(told: string | undefined, headSha: string): string[] {
  const [sha, ...checks] = (told ?? '').split(' ')
  return sha === headSha ? checks : []
}

/** A name as one word. */
export function checkId(name: string): string {
  return encodeURIComponent(name)
}

/** Remarks by people and by bots are different reactions with the same shape. Only new ones are reported. */
function ofRemarks(facts: ConditionFacts, pr: PrView, key: 'changes-requested' | 'bugbot-comments'): Condition | null {
  const open = pr.remarks.filter(({ isBot }) => isBot === (key === 'bugbot-comments'))
  if (open.length === 0) return key === 'changes-requested' ? ofBareVerdict(facts, pr) : null
  const told = idsIn(facts.told[key])
  const heard = idsIn(facts.heard[key])
  const fresh = open.filter(({ id }) => !heard.includes(id))
  const fingerprint = union(
    told,
    open.map(({ id }) => id),
  )
  const authors = [...new Set(open.map(({ author }) => author))].join(', ')
  const summary = `${open.length} open remark${open.length === 1 ? '' : 's'} by ${authors}`
  return { ...condition(facts, key, fingerprint, summary), message: commentsMessage(pr, fresh, facts.handIn) }
}

function idsIn(fingerprint: string | undefined): string[] {
  return (fingerprint ?? '').split(' ').filter(Boolean)
}

/** Remarks that were reported once stay in: remarks that come and go must not make old ones new. */
function union(told: string[], now: string[]): string {
  return [...new Set([...told, ...now])].sort().join(' ')
}

/** Each file of each collision is reported once, whatever becomes of its lines meanwhile. */
function ofCollisions(facts: ConditionFacts): Condition | null {
  const { collisions } = facts
  if (collisions === null || collisions.length === 0 || TERMINAL_STATUSES.has(facts.status)) return null
  const heard = idsIn(facts.heard.collision)
  const fresh = collisions.filter((one) => describeCollisions([one]).some((word) => !heard.includes(word)))
  const told = fresh.length > 0 ? fresh : collisions
  const fingerprint = union(idsIn(facts.told.collision), describeCollisions(collisions))
  return {
    ...condition(facts, 'collision', fingerprint, collisionSummary(told)),
    message: collisionMessage(told, facts.handIn),
  }
}

/** A reviewer may request changes without a comment. Each verdict is one, however often the head moves meanwhile. */
function ofBareVerdict(facts: ConditionFacts, pr: PrView): Condition | null {
  if (pr.review !== 'changes_requested') return null
  const verdicts = pr.requests.length > 0 ? pr.requests : [`verdict-${pr.number}`]
  return {
    ...condition(
      facts,
      'changes-requested',
      union(idsIn(facts.told['changes-requested']), verdicts),
      'a reviewer asks for changes',
    ),
    message: commentsMessage(pr, [], facts.handIn),
  }
}

function ofConflicts(facts: ConditionFacts, pr: PrView): Condition | null {
  // The train has asked for exactly that, and said onto what.
  if (pr.hasConflicts !== true || pr.landing?.why === 'conflict') return null
  return {
    ...condition(facts, 'merge-conflicts', `${pr.headSha} conflicts`, `it conflicts with ${facts.baseBranch}`),
    message: conflictsMessage(pr, facts.baseBranch, facts.handIn),
  }
}

/** Once for each head: the agent repairs it with a new one. */
function ofLanding(facts: ConditionFacts, pr: PrView): Condition | null {
  const { landing } = pr
  if (!landing) return null
  return {
    ...condition(
      facts,
      'landing-failed',
      `${pr.headSha} ${landingWord(landing)}`,
      `#${pr.number} left the train: ${departureOf(landing, facts.baseBranch)}`,
    ),
    message: landingMessage(pr, landing, facts.baseBranch, facts.handIn),
  }
}

function landingWord(landing: LandingFailure): string {
  if (landing.why === 'red') return `${checkId(landing.check)} ${landing.commit}`
  if (landing.why === 'conflict' && landing.onto && landing.onto.pulls.length > 0)
    return `conflict ${landing.onto.commit}`
  return landing.why
}

/** Why it left the train, in words. */
export function departureOf(landing: LandingFailure, baseBranch: string): string {
  if (landing.why === 'conflict') {
    const { pulls = [] } = landing.onto ?? {}
    return `it conflicts with ${pulls.length > 0 ? `${numbers(pulls)} ahead of it` : baseBranch}`
  }
  if (landing.why === 'stranded') return `it is built on ${numbers(landing.pulls)}, which will not land as it was`
  if (landing.why === 'refused') return `the forge does not merge it: ${landing.said}`
  const behind = landing.ahead.length > 0 ? ` behind ${numbers(landing.ahead)}` : ''
  return `${landing.check} fails${behind}`
}

function numbers(pulls: readonly number[]): string {
  return pulls.map((one) => `#${one}`).join(', ')
}

function ofReadiness(facts: ConditionFacts, pr: PrView): Condition | null {
  if (facts.status !== 'mergeable') return null
  return {
    ...condition(facts, 'approved-and-green', pr.headSha, `${pr.url} is approved and green`),
    headSha: pr.headSha,
  }
}

/** An agent that is not at work spends nothing: then a person is notified, and that is all. */
function ofBudget(facts: ConditionFacts): Condition | null {
  const { overBudget, status, activity } = facts
  if (!overBudget || TERMINAL_STATUSES.has(status)) return null
  const { over, day } = overBudget
  const action = activity?.state === 'active' ? over.action : 'notify'
  const fingerprint = budgetFingerprint({ ...over, action }, day)
  return { ...condition(facts, 'over-budget', fingerprint, over.text), action }
}

/** Once for each start and account. A switch that was begun is finished also when its agent is gone by now. */
function ofFallback(facts: ConditionFacts): Condition | null {
  const { fallback, status, launch } = facts
  if (!fallback || status === 'merged') return null
  const found = condition(facts, 'limit-reached', `${launch} ${fallback.account ?? ''}`, fallback.why)
  return { ...found, action: 'switch-account', fallback }
}

/** The limit that stopped the agent is over: it is asked to continue. */
function ofLimit(facts: ConditionFacts): Condition | null {
  const { limitResetsAt, activity, now } = facts
  if (!limitResetsAt || activity?.state !== 'blocked' || !isReset(limitResetsAt, activity.at, now)) return null
  return {
    ...condition(facts, 'limit-reset', `${facts.launch} ${limitResetsAt}`, 'its limit was reset', limitResetsAt),
    message: 'The limit that stopped you has been reset. Continue with your task where you stopped.',
  }
}

function ofAgent(facts: ConditionFacts): Condition | null {
  const at = facts.activity?.at ?? null
  switch (facts.status) {
    case 'needs_input':
      return condition(
        facts,
        'agent-needs-input',
        fingerprintOf(facts, 'agent-needs-input'),
        facts.question ? `it asks: ${facts.question}` : 'it waits for an answer',
        at,
      )
    case 'stuck':
      return {
        ...condition(facts, 'agent-stuck', fingerprintOf(facts, 'agent-stuck'), 'it has been silent for too long', at),
        message: idleMessage(facts.handIn),
      }
    case 'killed':
    case 'errored':
      // It was ended on purpose, and continues with another account.
      if (facts.fallback) return null
      return condition(facts, 'agent-exited', String(facts.launch), 'its agent is no longer running')
    case 'working':
      if (facts.finished === null) return null
      return {
        ...condition(facts, 'agent-idle', `${facts.launch} ${at}`, finishedAs(facts.finished), at),
        message: idleMessage(facts.handIn),
      }
    default:
      return null
  }
}

/** A turn that ended because nobody was there is not finished work. */
function finishedAs({ expired }: NonNullable<ConditionFacts['finished']>): string {
  if (expired === null) return 'it finished a turn without a pull request'
  return `nobody answered in time, so that it was refused: ${expired}`
}

/** Activity that cannot be read now is not news: what was reported for this launch stands, and nobody is notified twice. */
function fingerprintOf({ launch, activity, told }: ConditionFacts, key: ReactionKey): string {
  if (activity !== null) return `${launch} ${activity.at}`
  const before = told[key]
  return before?.startsWith(`${launch} `) ? before : `${launch} unread`
}

/** A condition is over when the facts contradict it. A forge that did not answer contradicts nothing. */
function certainlyOver(facts: ConditionFacts): ReactionKey[] {
  const over: ReactionKey[] = []
  const { pr, status } = facts
  // Once it is merged, whatever was left to do is dropped.
  if (status === 'merged') return [...REACTION_KEYS]
  if (facts.overBudget === null) over.push('over-budget')
  if (pr) {
    if (pr.ci === 'passing' || pr.ci === 'none') over.push('ci-failed')
    if (pr.review !== 'changes_requested' && !pr.remarks.some(({ isBot }) => !isBot)) over.push('changes-requested')
    if (!pr.remarks.some(({ isBot }) => isBot)) over.push('bugbot-comments')
    if (pr.hasConflicts === false) over.push('merge-conflicts')
    if (status !== 'mergeable') over.push('approved-and-green')
    if (pr.state === 'open') over.push('pr-closed')
  }
  return over
}

/** An agent that works again, or has ended, is not silent; it may fall silent again. */
function calmedDown({ activity, status, collisions }: ConditionFacts): ReactionKey[] {
  // The last record of a killed agent may well say active.
  if (TERMINAL_STATUSES.has(status)) return ['agent-stuck', 'agent-needs-input', 'agent-idle', 'collision']
  // Two branches that no longer collide may do so again: what was reported is not forgotten.
  const apart: ReactionKey[] = collisions?.length === 0 ? ['collision'] : []
  return activity?.state === 'active' ? [...AGENT_KEYS, ...apart] : apart
}

function condition(
  facts: ConditionFacts,
  key: ReactionKey,
  fingerprint: string,
  summary: string,
  since: number | null = null,
): Condition {
  return { key, fingerprint, since, summary, message: `${facts.sessionId}: ${summary}` }
}
