// A session's life on a virtual clock: random facts, failures, deaths of the loop and doubled ticks, with the real
// decisions. The effects are counted, so that what must never happen can be stated.
import { REACTION_KEYS } from '../../src/contract/config.ts'
import type { ReactionDecision, ReactionKey, ReactionMemory, ReactionRule } from '../../src/contract/reactions.ts'
import { isTerminalSession, type SessionStatus } from '../../src/contract/status.ts'
import { deriveStatus, type StatusFacts } from '../../src/core/derive-status.ts'
import { afterAct, decideReactions } from '../../src/core/reactions/decide-reactions.ts'
import { findConditions } from '../../src/core/reactions/find-conditions.ts'
import type { PrView } from '../../src/core/reactions/pr-view.ts'
import { resolveRules } from '../../src/core/reactions/resolve-rules.ts'

export interface Effect {
  at: number
  kind: 'agent' | 'human' | 'merge' | 'restart'
  key: ReactionKey
  fingerprint: string
  escalation: boolean
  /** Grows whenever the condition was certainly over: what comes after it is another reason. */
  epoch: number
}

export interface Trace {
  effects: Effect[]
  /** Conditions that held in the last facts, with their rule. */
  last: Array<{ key: ReactionKey; fingerprint: string; rule: ReactionRule }>
  memory: ReactionMemory
  /** Statuses that contradict the facts they were derived from. */
  contradictions: string[]
  ticks: number
  epochs: Partial<Record<ReactionKey, number>>
}

const MINUTE = 60_000

/** Small, fast and the same everywhere: a seed is a life. */
export function createRandom(seed: number): {
  below(n: number): number
  chance(p: number): boolean
  pick<T>(from: readonly T[]): T
} {
  let state = seed + 0x6d2b79f5
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
  return {
    below: (n) => Math.floor(next() * n),
    chance: (p) => next() < p,
    pick: (from) => from[Math.floor(next() * from.length)]!,
  }
}

type Random = ReturnType<typeof createRandom>

interface World {
  now: number
  stored: SessionStatus
  facts: Omit<StatusFacts, 'stored'>
  pr: PrView | null
  launch: number
  commits: number
  remarks: number
}

export function simulate(seed: number, ticks = 60): Trace {
  const random = createRandom(seed)
  const rules = randomRules(random)
  const world: World = {
    now: 1_000_000,
    stored: 'working',
    facts: {
      operation: null,
      runtime: { state: 'alive' },
      activity: null,
      hasPr: false,
      pr: null,
      turnSince: null,
      readyThresholdMs: 5 * MINUTE,
    },
    pr: null,
    launch: 1,
    commits: 0,
    remarks: 0,
  }
  const trace: Trace = { effects: [], last: [], memory: {}, contradictions: [], ticks, epochs: {} }
  // What the world did, as the agent's records, the outbox and the forge know it: a reborn loop asks them.
  for (let index = 0; index < ticks; index++) {
    const isLast = index >= ticks - 12
    if (!isLast) live(world, random)
    world.now += isLast ? 6 * MINUTE : random.below(3 * MINUTE)
    for (let again = random.chance(0.1) ? 2 : 1; again > 0; again--) tick(world, trace, rules, isLast ? null : random)
  }
  return trace
}

/** One tick in the order of src/lifecycle/settle.ts; it may die at each step. */
function tick(world: World, trace: Trace, rules: Record<ReactionKey, ReactionRule>, random: Random | null): void {
  trace.memory = confirmIntents(trace)
  const forgeIsDown = random?.chance(0.15) ?? false
  const facts: StatusFacts = { ...world.facts, stored: world.stored, pr: forgeIsDown ? null : world.facts.pr }
  const status = deriveStatus(facts, world.now)
  trace.contradictions.push(...contradictions(facts, status, world.now))
  const unfinished = Object.values(trace.memory).some((one) => one?.state === 'intended' || one?.state === 'failed')
  const wasOver = isTerminalSession({ status: world.stored, activity: null }) && world.stored === status
  if (wasOver && !unfinished) return
  const { activity } = facts
  const found = findConditions({
    sessionId: 's-1',
    status,
    launch: world.launch,
    activity: activity && { state: activity.state, at: activity.at ?? 0 },
    pr: forgeIsDown ? null : world.pr,
    question: null,
    sharedFailures: [],
    baseBranch: 'main',
    told: Object.fromEntries(Object.entries(trace.memory).map(([key, one]) => [key, one?.told ?? ''])),
    now: world.now,
  })
  const before = trace.memory
  const answer = decideReactions({ ...found, memory: before, rules, now: world.now })
  trace.last = found.conditions.map(({ key, fingerprint }) => ({ key, fingerprint, rule: rules[key] }))
  for (const key of found.resolved) trace.epochs[key] = (trace.epochs[key] ?? 0) + 1
  if (random?.chance(0.05)) return
  trace.memory = persisted(answer.memory)
  if (random?.chance(0.05)) return
  world.stored = status
  if (random?.chance(0.05)) return
  for (const decision of answer.decisions) {
    const { key } = decision.condition
    const fails = random?.chance(0.2) ?? false
    if (!fails) perform(trace, decision, world.now)
    // Dead between the act and its note.
    if (random?.chance(0.05)) return
    trace.memory = persisted({ ...trace.memory, [key]: afterAct(trace.memory[key]!, !fails, world.now) })
  }
}

/** As src/lifecycle/confirm-intents.ts does it: the session's history knows a message whose note is missing. */
function confirmIntents({ memory, effects, epochs }: Trace): ReactionMemory {
  const confirmed = { ...memory }
  for (const [key, record] of Object.entries(memory) as Array<[ReactionKey, ReactionMemory[ReactionKey]]>) {
    if (record?.state !== 'intended' || record.escalating) continue
    const isSent = effects.some(
      (one) =>
        one.kind === 'agent' &&
        one.key === key &&
        one.fingerprint === record.fingerprint &&
        one.epoch === (epochs[key] ?? 0),
    )
    if (isSent) confirmed[key] = afterAct(record, true, record.lastAt)
  }
  return confirmed
}

/** As it is on disk. */
function persisted(memory: ReactionMemory): ReactionMemory {
  return JSON.parse(JSON.stringify(memory)) as ReactionMemory
}

function perform(trace: Trace, decision: ReactionDecision, at: number): void {
  const { condition } = decision
  const escalation = decision.kind === 'escalate'
  const kind = decision.kind === 'escalate' ? 'human' : KINDS[decision.action]
  const epoch = trace.epochs[condition.key] ?? 0
  const effect: Effect = { at, kind, key: condition.key, fingerprint: condition.fingerprint, escalation, epoch }
  const isSame = (one: Effect) =>
    one.kind === kind &&
    one.key === condition.key &&
    one.fingerprint === condition.fingerprint &&
    one.escalation === escalation
  // The outbox knows its keys; a forge merges a commit once.
  if ((kind === 'human' || kind === 'merge') && trace.effects.some(isSame)) return
  trace.effects.push(effect)
}

const KINDS = { notify: 'human', 'send-to-agent': 'agent', 'auto-merge': 'merge', 'restart-agent': 'restart' } as const

/** What happens to a session while nobody looks. */
function live(world: World, random: Random): void {
  const { facts } = world
  if (random.chance(0.3)) {
    facts.activity = random.chance(0.1)
      ? null
      : {
          state: random.pick(['active', 'ready', 'idle', 'waiting_input', 'blocked'] as const),
          at: world.now - random.below(MINUTE),
        }
  }
  if (random.chance(0.02)) facts.runtime = { state: 'dead', exitCode: random.pick([0, 1, null]) }
  else if (random.chance(0.1)) facts.runtime = random.pick([{ state: 'alive' } as const, { state: 'unknown' } as const])
  if (world.pr === null && random.chance(0.2)) world.pr = newPr()
  const { pr } = world
  if (pr === null) return
  if (random.chance(0.3)) {
    world.commits += 1
    Object.assign(pr, { headSha: `sha${world.commits}`, ci: 'pending', failedChecks: [] })
  } else if (random.chance(0.5)) {
    pr.ci = random.pick(['passing', 'failing', 'pending'] as const)
    pr.failedChecks = pr.ci === 'failing' ? [{ name: random.pick(['test', 'lint']), url: null, logTail: 'x' }] : []
  }
  if (random.chance(0.3)) pr.review = random.pick(['none', 'pending', 'approved', 'changes_requested'] as const)
  if (random.chance(0.2)) pr.remarks = [...pr.remarks, remark(world, random)].slice(random.below(3))
  if (random.chance(0.2)) pr.hasConflicts = random.pick([true, false, null])
  if (random.chance(0.03)) pr.state = random.pick(['merged', 'closed'] as const)
  facts.hasPr = true
  facts.pr = {
    state: pr.state,
    ci: pr.ci,
    review: pr.review,
    mergeable: pr.hasConflicts === null ? null : !pr.hasConflicts,
  }
}

function newPr(): PrView {
  return {
    url: 'https://example.invalid/pull/1',
    number: 1,
    state: 'open',
    headSha: 'sha0',
    ci: 'pending',
    review: 'none',
    failedChecks: [],
    remarks: [],
    hasConflicts: false,
  }
}

function remark(world: World, random: Random): PrView['remarks'][number] {
  world.remarks += 1
  return { id: `r${world.remarks}`, author: 'ann', isBot: random.chance(0.3), body: 'x', path: null, line: null }
}

function randomRules(random: Random): Record<ReactionKey, ReactionRule> {
  const rules = resolveRules({}, {})
  for (const key of REACTION_KEYS) {
    const rule = rules[key]
    if (random.chance(0.3)) rule.auto = random.chance(0.7)
    if (key.startsWith('agent-') && random.chance(0.4))
      rule.action = random.pick(['notify', 'send-to-agent', 'restart-agent'] as const)
    if (random.chance(0.3)) rule.retries = random.below(4)
    if (random.chance(0.3)) rule.escalateAfterMs = random.below(20) * MINUTE
  }
  return rules
}

/** What a status may never say. Written down apart from deriveStatus, as a reader of the seed would. */
function contradictions(facts: StatusFacts, status: SessionStatus, now: number): string[] {
  const found: string[] = []
  const say = (what: string) => found.push(`${status}: ${what} ${JSON.stringify({ facts, now })}`)
  const { pr, runtime, activity, stored } = facts
  const over = isTerminalSession({ status: stored, activity: null })
  if (pr?.state === 'merged' && status !== 'merged') say('the pull request is merged')
  if (status === 'merged' && stored !== 'merged' && pr?.state !== 'merged') say('nothing was merged')
  if (over && status !== stored && status !== 'merged') say('an ended session came back by itself')
  if (over) return found
  const isDead = runtime?.state === 'dead' || activity?.state === 'exited' || pr?.state === 'closed'
  if ((status === 'killed' || status === 'done') && !isDead) say('nothing proves an end')
  if (runtime?.state === 'dead' && pr?.state !== 'merged' && status !== 'killed' && status !== 'done')
    say('its runtime is dead')
  if (isDead || pr?.state === 'merged') return found
  if (activity?.state === 'waiting_input' && status !== 'needs_input') say('it waits for input')
  if (
    status === 'mergeable' &&
    pr &&
    !(pr.review === 'approved' && pr.ci !== 'failing' && pr.ci !== 'pending' && pr.mergeable)
  )
    say('something is missing')
  if (status === 'ci_failed' && pr && pr.ci !== 'failing') say('CI does not fail')
  if (status === 'stuck' && activity && activity.state !== 'idle' && activity.state !== 'blocked')
    say('the agent is at work')
  return found
}
