// One scripted agent: takes an issue, works, has its mishaps, pushes, and does what messages ask for.
import type { Pull } from '../contract/pull.ts'
import type { ActivityState } from '../contract/status.ts'
import { mishap, pickHabit, pushesBroken, repairMinutes, workMinutes } from './habits.ts'
import { headOf, newHead, resolveWith, type SimPull } from './train-world.ts'
import { BEGIN, MINUTE, type Phase, type SimAgent, type World } from './world.ts'

/** Takes the next issue. */
export function startAgent(world: World): void {
  const { random, rates } = world
  const number = world.sessions.size + 1
  const habit = pickHabit(random, world.mix)
  const open = [...world.code.pulls.values()].filter(({ landed }) => !landed)
  // With somebody who reads: the more is open, the more of it is in the way, as 27.67 % of eight.
  const usual = world.reviewer ? 1 - 0.96 ** open.length : 0.05
  const conflicts = !rates && open.length > 0 && random.chance(habit === 'conflicts' && !world.reviewer ? 0.9 : usual)
  const breaks = !rates && open.length > 0 && random.chance(0.04)
  const life = rates?.lives[number - 1]
  const pull: SimPull = {
    number,
    version: 1,
    bad: false,
    badWith: breaks ? random.pick(open).number : null,
    conflictsWith: conflicts ? random.pick(open).number : null,
    landed: false,
    labels: [],
    waits: true,
    meets: life && new Set(life.meets),
  }
  const agent: SimAgent = {
    id: `${world.prefix}-${number}`,
    habit,
    pull,
    phase: 'working',
    until: world.now + (life?.work ?? workMinutes(random, habit)) * MINUTE,
    since: world.now,
    attempts: 0,
    launch: 1,
    runtime: { state: 'alive' },
    received: [],
    pr: null,
    ciEndsAt: 0,
    repairs: null,
    minutesWorked: 0,
    startedAt: world.now,
    landedAt: null,
    lines: world.reviewer ? 40 + random.below(720) : 0,
    openedAt: null,
    life,
  }
  world.sessions.set(agent.id, agent)
  world.onStart(agent)
}

export function enter(world: World, agent: SimAgent, phase: Phase, minutes = 0): void {
  Object.assign(agent, { phase, since: world.now, until: world.now + minutes * MINUTE })
}

export function liveAgent(world: World, agent: SimAgent): void {
  const { random, now } = world
  if (agent.runtime.state === 'dead') return
  if (agent.phase === 'limited' && now >= agent.until) enter(world, agent, 'working', 5)
  if (agent.phase !== 'working') return
  agent.minutesWorked += world.step / MINUTE
  if (now >= agent.until) {
    push(world, agent)
    return
  }
  // Those of a recorded day are in how long its agents took.
  const happens = world.rates ? null : mishap(random, agent.habit)
  if (happens === 'asks') enter(world, agent, 'asking')
  if (happens === 'falls silent') enter(world, agent, 'silent')
  if (happens === 'hits its limit') enter(world, agent, 'limited', 60)
  if (happens === 'dies') agent.runtime = { state: 'dead', exitCode: 1, why: 'the agent crashed' }
}

/** Its work is done for now: a pull request, or another head of it. */
function push(world: World, agent: SimAgent): void {
  const { random } = world
  const { pull } = agent
  agent.attempts += 1
  agent.openedAt ??= world.now
  world.code.pulls.set(pull.number, pull)
  if (agent.pr !== null) newHead(pull)
  if (agent.repairs === 'conflict') resolve(world, pull)
  if (agent.repairs === 'code') pull.badWith = null
  pull.bad = agent.life ? agent.attempts <= agent.life.broken : pushesBroken(random, agent.habit, agent.attempts)
  const comments = agent.repairs === 'remarks' ? [] : (agent.pr?.comments ?? [])
  const review = agent.repairs === 'remarks' ? 'pending' : (agent.pr?.review ?? 'none')
  agent.pr = { ...(agent.pr ?? newPull(agent)), headSha: shaOf(pull), ci: 'pending', checks: [], comments, review }
  agent.ciEndsAt = world.now + world.ciMinutes * MINUTE
  agent.repairs = null
  enter(world, agent, 'waiting')
}

/** With what has landed, and with what it was asked to build on. */
function resolve({ code }: World, pull: SimPull): void {
  const onto = code.disk.state.left.findLast((one) => one.pull === pull.number)?.onto?.cars ?? []
  pull.conflictsWith = null
  resolveWith(
    code,
    pull,
    onto.map((car) => car.pull),
  )
}

/** Forty characters, as a forge's. */
function shaOf(pull: SimPull): string {
  return headOf(pull).replace('h', '').padEnd(40, 'a')
}

function newPull({ id, pull: { number } }: SimAgent): Pull {
  return {
    pr: { url: `https://rehearsal.invalid/o/r/pull/${number}`, number, branch: `session/${id}` },
    session: id,
    state: 'open',
    headSha: '',
    ci: 'pending',
    checks: [],
    review: 'none',
    reviews: [],
    comments: [],
    hasConflicts: false,
    mergeable: true,
    failingOnBase: [],
    updatedAt: new Date(BEGIN).toISOString(),
  }
}

/** As kill and restore do it: another launch in the same session. */
export function revive(world: World, agent: SimAgent): void {
  agent.runtime = { state: 'alive' }
  agent.launch += 1
  world.onRestart(agent)
  if (agent.phase !== 'waiting') enter(world, agent, 'working', repairMinutes(world.random, agent.habit))
}

const REPAIRS: Readonly<Record<string, SimAgent['repairs']>> = {
  'ci-failed': 'code',
  'landing-failed': 'code',
  'changes-requested': 'remarks',
  'bugbot-comments': 'remarks',
  'merge-conflicts': 'conflict',
}

/** What a message makes an agent do. */
export function hear(world: World, agent: SimAgent, key: string, text: string): void {
  agent.received.push({ text, key, at: world.now })
  const { random } = world
  const { habit } = agent
  if (agent.phase === 'silent') {
    if (random.chance(0.7)) enter(world, agent, 'working', repairMinutes(random, habit))
    return
  }
  const repairs = REPAIRS[key]
  if (agent.phase !== 'waiting' || repairs === undefined || agent.pr?.state !== 'open' || agent.gaveUp) return
  agent.gaveUp = agent.life
    ? agent.attempts >= (agent.life.givesUpAt ?? Infinity)
    : habit === 'gives-up' && agent.attempts > 1
  if (agent.gaveUp) return
  agent.repairs = key === 'landing-failed' && /conflict/i.test(text) ? 'conflict' : repairs
  enter(world, agent, 'working', world.rates ? random.pick(world.rates.repair) : repairMinutes(random, habit))
}

/** What its own records show. */
export function activityOf(world: World, agent: SimAgent): { state: ActivityState; at: number } {
  const { phase, since } = agent
  if (phase === 'working') return { state: 'active', at: world.now }
  if (phase === 'silent') return { state: 'active', at: since }
  if (phase === 'asking') return { state: 'waiting_input', at: since }
  if (phase === 'limited') return { state: 'blocked', at: since }
  return { state: agent.pr === null ? 'ready' : 'idle', at: since }
}
