// What may never be true of a life. Written down apart from the decisions, as a reader of the seeds would.
import type { Pull } from '../../src/contract/pull.ts'
import type { ReactionKey, ReactionMemory } from '../../src/contract/reactions.ts'
import type { Session } from '../../src/contract/session.ts'
import { isTerminalSession, type SessionStatus } from '../../src/contract/status.ts'
import { AGENT_KEYS } from '../../src/core/reactions/work-progress.ts'
import type { Life } from './simulate.ts'
import { type Inhabitant, reasonFor, remarksFor } from './simulation-world.ts'

/** What the loop was shown in one tick. */
export type Seen = Map<
  string,
  { runtime?: 'alive' | 'dead' | 'unknown'; activity?: Inhabitant['activity']; pr?: Pull | null }
>

export interface Statement {
  session: Session
  before: string
  seen: Seen
  now: number
}

export function contradictions({ session, before, seen, now }: Statement): string[] {
  const { status } = session
  const { runtime, activity, pr = null } = seen.get(session.id) ?? {}
  const found: string[] = []
  const say = (what: string) =>
    found.push(`${before} → ${status}: ${what} ${JSON.stringify({ runtime, activity, pr, now })}`)
  const isOver = isTerminalSession({ status: before as SessionStatus, activity: null })
  if (pr?.state === 'merged' && status !== 'merged') say('the pull request is merged')
  if (isOver && status !== before && status !== 'merged') say('an ended session came back by itself')
  if (isOver) return found
  const isDead = runtime === 'dead'
  if ((status === 'killed' || status === 'done') && !isDead) say('nothing proves an end')
  if (runtime === 'dead' && status !== 'killed' && status !== 'done' && status !== 'merged') say('its runtime is dead')
  if (isDead || status === 'merged' || status === 'killed') return found
  if (activity?.state === 'waiting_input' && status !== 'needs_input') say('it waits for input')
  if (status === 'stuck' && activity && activity.state !== 'idle' && activity.state !== 'blocked')
    say('the agent is at work')
  if (!pr) return found
  const isGreen = pr.ci === 'passing' || pr.ci === 'none'
  if (status === 'mergeable' && !(pr.review === 'approved' && isGreen && pr.mergeable)) say('something is missing')
  if (status === 'ci_failed' && pr.ci !== 'failing') say('CI does not fail')
  return found
}

/** Messages with something that the agent was sent before. */
export function doubledMessages({ world }: Life): string[] {
  return [...world.inhabitants.values()].flatMap(({ received }) => {
    const reported = new Set<string>()
    return received.flatMap(({ key, text, reason, epoch }) => {
      const parts = partsOf(key, text, reason).map((part) => `${key} ${part} (${epoch})`)
      const again = parts.filter((part) => reported.has(part))
      for (const part of parts) reported.add(part)
      return again.length > 0 ? [again.join(', ')] : []
    })
  })
}

/** A message may be about several things, and each of them is sent once. */
function partsOf(key: ReactionKey, text: string, reason: string): string[] {
  if (key === 'changes-requested' || key === 'bugbot-comments')
    return [...text.matchAll(/<(r[0-9]+)>/g)].map(([, id]) => id!)
  if (key === 'ci-failed')
    return [...text.matchAll(/^### (\w+)$/gm)].map(([, check]) => `${reason.split(' ')[0]} ${check}`)
  return [reason]
}

/** In the end everything that calls for a reaction was reported, done or escalated. */
export function lostReactions(life: Life): string[] {
  return [...life.world.inhabitants.values()].flatMap((one) =>
    dueIn(life, one).flatMap((key) => (isAnswered(life, one, key) ? [] : [`${one.id} ${key} ${reasonFor(one, key)}`])),
  )
}

/** What holds in the world now, in the terms of the session's record. */
function dueIn({ disk }: Life, one: Inhabitant): ReactionKey[] {
  const { pr, activity } = one
  const status = disk.records.get(one.id)?.status as SessionStatus
  if (status === 'killed') return ['agent-exited']
  if (isTerminalSession({ status, activity: null })) return []
  const due: ReactionKey[] = []
  if (pr?.state === 'open') {
    if (pr.ci === 'failing') due.push('ci-failed')
    if (pr.review === 'changes_requested' || remarksFor(one, 'changes-requested').length > 0)
      due.push('changes-requested')
    if (remarksFor(one, 'bugbot-comments').length > 0) due.push('bugbot-comments')
    if (pr.hasConflicts) due.push('merge-conflicts')
    if (status === 'mergeable') due.push('approved-and-green')
  }
  if (status === 'needs_input') due.push('agent-needs-input')
  if (status === 'stuck') due.push('agent-stuck')
  if (status === 'working' && activity?.state === 'ready') due.push('agent-idle')
  return due
}

const TYPES: Partial<Record<ReactionKey, string>> = {
  'ci-failed': 'ci.failing',
  'changes-requested': 'review.changes_requested',
  'bugbot-comments': 'automated_review.found',
  'merge-conflicts': 'merge.conflicts',
  'approved-and-green': 'merge.ready',
  'agent-stuck': 'session.stuck',
  'agent-needs-input': 'session.needs_input',
  'agent-exited': 'session.exited',
  'agent-idle': 'session.idle',
  review: 'review.rounds_over',
}

function isAnswered(life: Life, one: Inhabitant, key: ReactionKey): boolean {
  const { auto, action } = life.rules[key]
  if (!auto && action === 'notify') return true
  const told = [...life.disk.outbox.values()]
  const own = told.filter(({ sessionId, type }) => sessionId === one.id && type === TYPES[key])
  const since = AGENT_KEYS.includes(key) ? countedSince(one) : (one.epochs[key]?.since ?? 0)
  const parts = reasonFor(one, key).split(' ').filter(Boolean)
  const isAbout = (text: string) => parts.every((part) => text.includes(part))
  // A person knows of it: notified about this, or called in since it began.
  if (own.some((each) => isAbout(each.dedupeKey ?? ''))) return true
  if (own.some(({ priority, at }) => priority === 'urgent' && at >= since)) return true
  if ((!auto || action === 'notify') && key !== 'ci-failed') return false
  if (action === 'restart-agent') return one.restarts.includes(one.launch)
  const heard = one.received.filter((each) => each.key === key)
  if (key === 'ci-failed') {
    const isShared = (check: string) =>
      told.some((each) => each.type === 'ci.shared_failure' && each.message.includes(`check ${check} `))
    const lines = heard.flatMap(({ text, reason }) => partsOf(key, text, reason))
    return one.pr!.checks.every(({ name }) => isShared(name) || lines.includes(`${one.pr?.headSha} ${name}`))
  }
  if (key === 'changes-requested' || key === 'bugbot-comments') {
    const all = heard.map(({ text }) => text).join(' ')
    return heard.length > 0 && remarksFor(one, key).every((id) => all.includes(`<${id}>`))
  }
  return heard.some(({ reason }) => reason === reasonFor(one, key))
}

/** What the agent itself does is counted from the last time the work had moved when it began. */
function countedSince({ moved, activity, runtime }: Inhabitant): number {
  const began = runtime.state === 'dead' ? 0 : (activity?.at ?? 0)
  return moved.findLast((moment) => moment <= began) ?? 0
}

/** Without progress an agent is asked or restarted as often as the rules allow, and a person is called once. */
export function endlessReactions({ world, disk, rules }: Life): string[] {
  return [...world.inhabitants.values()].flatMap((one) =>
    AGENT_KEYS.flatMap((key) => {
      const { action, auto, retries, escalateAfterAttempts } = rules[key]
      if (!auto || action === 'notify') return []
      const most = Math.min(retries ?? Infinity, escalateAfterAttempts ?? Infinity)
      // One that died while it was carried out may be carried out again: it is the same attempt.
      const requested = new Map(
        one.received.filter((each) => each.key === key).map((each) => [each.reason, each.moves]),
      )
      const acts = action === 'restart-agent' ? restartsFor(rules, one) : [...requested.values()]
      const calls = [...disk.outbox.values()]
        .filter((each) => each.sessionId === one.id && each.dedupeKey?.startsWith(`${one.id} ${key} `))
        .filter(({ dedupeKey }) => dedupeKey?.includes(' escalated '))
        .map(({ at }) => one.moved.filter((moment) => moment <= at).length)
      const tooOften = [...countOf(acts)].filter(([, times]) => times > most)
      const called = [...countOf(calls)].filter(([, times]) => times > 1)
      return [
        ...tooOften.map(
          ([moves, times]) => `${one.id} ${key}: ${times} × ${action} after move ${moves}, at most ${most}`,
        ),
        ...called.map(([moves, times]) => `${one.id} ${key}: a person was called ${times} times after move ${moves}`),
      ]
    }),
  )
}

/** However often it goes from head to head: without a green one, an agent hears of conflicts as often as the rules allow. */
export function endlessConflicts({ world, rules }: Life): string[] {
  const { retries, escalateAfterAttempts } = rules['merge-conflicts']
  const most = Math.min(retries ?? Infinity, escalateAfterAttempts ?? Infinity)
  return [...world.inhabitants.values()].flatMap((one) => {
    const heard = one.received.filter(({ key }) => key === 'merge-conflicts')
    const heads = [...Map.groupBy(heard, ({ epoch }) => epoch).values()].map(
      (group) => new Set(group.map(({ reason }) => reason)).size,
    )
    return heads.filter((count) => count > most).map((count) => `${one.id}: asked ${count} times, at most ${most}`)
  })
}

/** Restarts do not say which reaction wanted them: only where one alone restarts can they be counted. */
function restartsFor(rules: Life['rules'], one: Inhabitant): number[] {
  const restarting = AGENT_KEYS.filter((key) => rules[key].auto && rules[key].action === 'restart-agent')
  return restarting.length === 1 ? one.restartMoves : []
}

function countOf(moves: number[]): Map<number, number> {
  return new Map([...Map.groupBy(moves, (move) => move)].map(([move, group]) => [move, group.length]))
}

/** What the memory calls done has really happened, and nothing is left to do forever. */
export function falseMemories({ world, disk, rules }: Life): string[] {
  return [...world.inhabitants.values()].flatMap((one) => {
    const memory = JSON.parse(disk.memories.get(one.id) ?? '{}') as ReactionMemory
    const isMerged = disk.records.get(one.id)?.status === 'merged'
    return Object.entries(memory).flatMap(([name, record]) => {
      const key = name as ReactionKey
      if (record === undefined) return []
      if (isMerged && record.state !== 'done' && record.state !== 'dropped')
        return [`${one.id} ${key} is left to do for ever`]
      const told = [...disk.outbox.values()].filter(
        ({ sessionId, type }) => sessionId === one.id && type === TYPES[key],
      )
      const isSeen = told.length > 0 || key === 'pr-closed' || one.received.some((each) => each.key === key)
      const isDone = isSeen || one.merges.length > 0 || one.restarts.length > 0
      if (record.state === 'done' && !isDone) return [`${one.id} ${key} was never done ${JSON.stringify(record)}`]
      if (record.escalated && !told.some(({ priority }) => priority === 'urgent' || rules[key].priority === 'urgent'))
        return [`${one.id} ${key} was never escalated`]
      return []
    })
  })
}
