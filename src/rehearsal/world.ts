// The world of a rehearsal: agents with habits, their pull requests, one person, a forge that fails now and then. One step
// is one virtual minute, or less of a short day. It is only observed and changed through the plugins, as the real one.
import type { Pull } from '../contract/pull.ts'
import type { Session } from '../contract/session.ts'
import type { Liveness } from '../slots/runtime.ts'
import type { Habit, Life, Rates } from './habits.ts'
import type { Random } from './random.ts'
import {
  type World as Code,
  createWorld as createTrainWorld,
  headOf,
  isGreen,
  isStale,
  type SimPull,
} from './train-world.ts'

export const MINUTE = 60_000

/** `working` and `limited` end at `until`; the others when somebody does something. */
export type Phase = 'working' | 'limited' | 'asking' | 'silent' | 'waiting'

export interface SimAgent {
  id: string
  habit: Habit
  pull: SimPull
  phase: Phase
  until: number
  since: number
  /** Heads pushed so far. */
  attempts: number
  launch: number
  runtime: Liveness
  received: Array<{ text: string; key: string; at: number }>
  pr: Pull | null
  ciEndsAt: number
  repairs: 'code' | 'remarks' | 'conflict' | null
  minutesWorked: number
  startedAt: number
  landedAt: number | null
  /** Lines of its change, and when its pull request was opened. */
  lines: number
  openedAt: number | null
  /** It answers nothing that it is asked. */
  gaveUp?: boolean | undefined
  /** Of a recorded day, and how often changes were requested so far. */
  life?: Life | undefined
  remarks?: number | undefined
}

export type NeedKind = 'question' | 'review' | 'merge' | 'agent gone' | 'base branch red'

export interface Wait {
  kind: NeedKind
  session: string
  since: number
  ended: number | null
}

/** A person who reads each change, and the rules for it. */
export interface Reviewer {
  /** On average; a larger change takes longer. */
  minutes: number
  order: 'age' | 'weight'
  capacity: 'auto' | 'off' | number
}

export interface WorldOptions {
  random: Random
  agents: number
  mix: Readonly<Partial<Record<Habit, number>>>
  faults: boolean
  /** `train`, or what a person or a reaction merges. */
  hasTrain: boolean
  /** Between the start of a need and the person's answer. */
  personMinutes: number
  ciMinutes: number
  /** Milliseconds from one step to the next; a minute unless a shorter day is rehearsed. */
  step: number
  /** Absent: the person answers everything in two minutes, the oldest first, and nothing waits for that. */
  reviewer?: Reviewer | undefined
  /** How ids of sessions begin. */
  prefix: string
  /** Of a recorded day; absent: the habits of the mix. */
  rates?: Rates | undefined
}

export interface World extends WorldOptions {
  now: number
  startedAt: number
  code: Code
  sessions: Map<string, SimAgent>
  waits: Wait[]
  personBusyUntil: number
  forgeDownUntil: number
  baseRedSince: number | null
  baseRedMinutes: number
  baseRedTimes: number
  remarks: number
  /** When the person gave a verdict, those of the day before included. */
  reviewTimes: number[]
  /** The sessions that have not ended, as the loop has recorded them. */
  records(): Session[]
  onStart(agent: SimAgent): void
  onRestart(agent: SimAgent): void
}

/** An ordinary Monday; the same in every rehearsal. */
export const BEGIN = Date.UTC(2026, 0, 5, 9)

export function createWorld(options: WorldOptions): World {
  const { random } = options
  return {
    ...options,
    now: BEGIN,
    startedAt: BEGIN,
    code: createTrainWorld(() => random.below(1_000_000) / 1_000_000, []),
    sessions: new Map(),
    waits: [],
    personBusyUntil: 0,
    forgeDownUntil: 0,
    baseRedSince: null,
    baseRedMinutes: 0,
    baseRedTimes: 0,
    remarks: 0,
    reviewTimes: yesterday(options.reviewer),
    records: () => [],
    onStart: () => undefined,
    onRestart: () => undefined,
  }
}

/** So that a measured rate does not begin with a day without one. */
function yesterday(reviewer: Reviewer | undefined): number[] {
  if (!reviewer) return []
  return Array.from({ length: 20 }, (_, at) => BEGIN - 16 * 60 * MINUTE - at * reviewer.minutes * MINUTE)
}

export function livePull(world: World, agent: SimAgent): void {
  const { pr, pull } = agent
  if (pr === null || pr.state !== 'open') return
  if (pr.ci === 'pending' && world.now >= agent.ciEndsAt) {
    pr.ci = pull.bad ? 'failing' : 'passing'
    pr.checks = pull.bad ? [{ id: 'test', name: 'test', status: 'failed' }] : []
  }
  pr.hasConflicts = isStale(world.code, pull)
  pr.mergeable = !pr.hasConflicts
  pull.waits = !(pr.ci === 'passing' && pr.review === 'approved')
  if (pull.landed) takeLanding(world, agent)
}

/** By the train, a reaction or a person. */
function takeLanding(world: World, agent: SimAgent): void {
  agent.pull.landed = true
  agent.landedAt ??= world.now
  if (agent.pr) agent.pr.state = 'merged'
}

/** Without a train: the base branch moves to a merge that nobody has tested. */
export function merge(world: World, agent: SimAgent): void {
  world.code.disk.base = [...world.code.disk.base, headOf(agent.pull)]
  takeLanding(world, agent)
}

/** Outages of the forge, and a machine that goes away with everything on it. */
export function strike(world: World, working: SimAgent[]): void {
  const { random, now } = world
  const perDay = 24 * 60
  if (now >= world.forgeDownUntil && random.chance(6 / perDay))
    world.forgeDownUntil = now + (5 + random.below(10)) * MINUTE
  if (!random.chance(2 / perDay)) return
  for (const agent of working) {
    if (random.chance(0.3)) agent.runtime = { state: 'dead', exitCode: 137, why: 'its machine is gone' }
  }
}

export function watchBase(world: World): void {
  const isRed = !isGreen(world.code, world.code.disk.base)
  if (!isRed) world.baseRedSince = null
  else {
    world.baseRedMinutes += world.step / MINUTE
    if (world.baseRedSince === null) {
      world.baseRedSince = world.now
      world.baseRedTimes += 1
    }
  }
}
