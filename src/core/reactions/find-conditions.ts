// Which facts of a session call for a reaction, and which conditions are certainly over. Pure.
import { REACTION_KEYS } from '../../contract/config/reaction-keys.ts'
import type { Condition, MemoryKey, ReactionKey } from '../../contract/reactions.ts'
import { TERMINAL_STATUSES } from '../../contract/status.ts'
import { budgetFingerprint } from '../budget/find-over-budget.ts'
import { isReset } from '../budget/limit-reset.ts'
import { collisionMessage, collisionSummary, describeCollisions } from '../radar/collisions.ts'
import { idleMessage } from './messages.ts'
import { type ConditionFacts, condition, hasLapsed, idsIn, ofPull, overWith, union } from './pull-conditions.ts'
import { memoryOf } from './pull-news.ts'
import { AGENT_KEYS } from './work-progress.ts'

export interface FoundConditions {
  conditions: Condition[]
  resolved: MemoryKey[]
  /** The occasion is over; whether its cause is, only progress of the work shows. */
  calmed: MemoryKey[]
  /** The cause is gone, as far as anybody can see; whether it stays away is open. */
  lapsed: MemoryKey[]
}

export function findConditions(facts: ConditionFacts): FoundConditions {
  const found: Array<Condition | null> = [
    ...facts.pulls.flatMap((news) => ofPull(facts, news)),
    ofCollisions(facts),
    ofBudget(facts),
    ofFallback(facts),
    ofLimit(facts),
    ofAgent(facts),
  ]
  const conditions = found.filter((one) => one !== null)
  const held = new Set(conditions.map(({ memory }) => memory))
  return {
    conditions,
    resolved: certainlyOver(facts).filter((key) => !held.has(key)),
    calmed: calmedDown(facts).filter((key) => !held.has(key)),
    lapsed: facts.pulls.filter(hasLapsed).map((news) => memoryOf('merge-conflicts', news)),
  }
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
function certainlyOver(facts: ConditionFacts): MemoryKey[] {
  const remembered = Object.keys(facts.told) as MemoryKey[]
  // Once it is merged, whatever was left to do is dropped.
  if (facts.status === 'merged') return [...new Set([...REACTION_KEYS, ...remembered])]
  const merged = remembered.filter((key) => facts.merged?.some((url) => key.endsWith(` ${url}`)))
  return [
    ...(facts.overBudget === null ? (['over-budget'] as const) : []),
    ...merged,
    ...facts.pulls.flatMap((news) => overWith(facts, news).map((key) => memoryOf(key, news))),
  ]
}

/** An agent that works again, or has ended, is not silent; it may fall silent again. */
function calmedDown({ activity, status, collisions }: ConditionFacts): ReactionKey[] {
  // The last record of a killed agent may well say active.
  if (TERMINAL_STATUSES.has(status)) return ['agent-stuck', 'agent-needs-input', 'agent-idle', 'collision']
  // Two branches that no longer collide may do so again: what was reported is not forgotten.
  const apart: ReactionKey[] = collisions?.length === 0 ? ['collision'] : []
  return activity?.state === 'active' ? [...AGENT_KEYS, ...apart] : apart
}
