// The train as people and programs see it: who is aboard and how far, who left and why, what landed.
import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { ProjectConfig } from '../../contract/config.ts'
import type { PullRef } from '../../contract/pull.ts'
import type { TreeResult } from '../../core/landing/decide-train.ts'
import { type Estimate, type EstimateFacts, estimateLanding } from '../../core/landing/timing/estimate-landing.ts'
import { type FreezeWindow, haltOf } from '../../core/landing/timing/halt.ts'
import { type IdleCause, idleTime } from '../../core/landing/timing/idle-time.ts'
import {
  attemptOf,
  type Landed,
  type Left,
  type Rider,
  secondRunOf,
  type TrainEvent,
  type TrainState,
} from '../../core/landing/train-state.ts'
import { systemClock } from '../../lib/clock.ts'
import { namesIn, readIfThere } from '../../lib/plain-file.ts'
import type { CheckRecord } from '../checks/check-store.ts'
import { type HandMove, readHandMoves } from '../watch/hand-moves.ts'
import { type ReportedCar, readCars, readObstacle, readWaiting, whyWaiting } from './ride-files.ts'
import { openTrainFile } from './train-file.ts'

export interface RiderReport extends Rider {
  title: string
  session: string | null
  /** Its number among the cars that are tested now; null: it waits. */
  place: number | null
  state: 'waiting' | 'testing' | 'green' | 'red'
  /** The car's commit. */
  commit: string | null
  /** A check runs once more, or why it is not asked to rebase yet; null: nothing of that kind. */
  why: string | null
  /** When it has probably landed. */
  eta: Estimate
  /** Tests, CI configuration and files of gates that it changes. */
  changedChecks: string[]
  /** Files whose conflict was solved as it had been solved before. */
  reused: string[]
  /** What the rules for conflicts did, a line for each file. */
  resolved: string[]
}

export interface TrainReport {
  projectId: string
  mode: 'off' | 'train'
  paused: TrainState['paused']
  /** Why nothing lands now, and about until when; null: nothing holds it up. */
  halt: { kind: 'paused' | 'frozen'; why: string; until: string | null } | null
  /** What the last day was spent on, in milliseconds. */
  idle: { since: string; spent: Record<IdleCause, number> }
  stopped: TrainState['stopped']
  /** What the last ride could not get past, such as a base branch checked out with changes; null: nothing. */
  obstacle: string | null
  riders: RiderReport[]
  left: Array<Left & { title: string }>
  /** Not aboard, in conflict, and not asked to rebase yet. */
  waiting: Array<{ pull: number; title: string; why: string }>
  landed: Array<Landed & { title: string }>
  /** Merged past it by a person. */
  past: Array<{ pull: number; title: string; by: string; commit: string; at: string }>
  /** How the base branch moved without a merge of ao. */
  moved: HandMove[]
  /** Checks that failed once and passed on the second run. */
  flaky: number
}

/** Where the rest of a report comes from. */
export interface ReportSource {
  pullOf(number: number): Pick<PullRef, 'title' | 'session'> | null
  resultOf(directory: string, tree: string, attempt: number): TreeResult | null
  past(): TrainReport['past']
}

export function readTrainReport(
  source: ReportSource,
  projectDir: string,
  project: ProjectConfig,
  now = systemClock.now().getTime(),
): TrainReport {
  const file = openTrainFile({ projectDir, clock: systemClock })
  const state = file.read()
  const { freeze = [], batch = 4 } = project.landing ?? {}
  const halt = haltOf(state, freeze, now)
  const events = file.events()
  const idle = idleOf(projectDir, events, freeze, now)
  const cars = readCars(file.directory)
  const obstacle = readObstacle(file.directory)
  const titled = <T extends { pull: number }>(one: T) => ({ ...one, title: source.pullOf(one.pull)?.title ?? '' })
  return {
    projectId: project.id,
    mode: project.landing?.mode ?? 'off',
    paused: halt?.kind === 'paused' ? state.paused : null,
    halt: halt && { ...halt, until: isoOf(halt.until) },
    idle: { since: new Date(idle.since).toISOString(), spent: idle.spent },
    stopped: state.stopped,
    obstacle,
    riders: withEstimates(
      inTheirOrder(
        state.riders.map((rider) => reportRider(source, { state, cars, rider, obstacle, directory: file.directory })),
      ),
      {
        batch,
        durations: readDurations(file.directory, events),
        halt,
        obstacle: state.stopped ? 'the base branch is red' : obstacle,
        now,
      },
    ),
    left: state.left.filter(({ pull }) => !state.riders.some((rider) => rider.pull === pull)).map(titled),
    waiting: readWaiting(file.directory)
      .filter(({ pull }) => !state.riders.some((rider) => rider.pull === pull))
      .map((one) => titled({ pull: one.pull, why: whyWaiting(file.directory, one) ?? '' })),
    landed: state.landed.map(titled),
    past: source.past(),
    moved: readHandMoves(projectDir),
    flaky: state.flaky.length,
  }
}

type Idle = ReturnType<typeof idleTime>

const IDLE_FRESH_MS = 60_000
const MOST_IDLE = 200
/** By directory of the project: every open page asks every few seconds, and the answer of a day changes little in a minute. */
const idles = new Map<string, { key: string; at: number; idle: Idle }>()

function idleOf(projectDir: string, events: readonly TrainEvent[], freeze: readonly FreezeWindow[], now: number): Idle {
  const key = JSON.stringify([events.length, events.at(-1), freeze])
  const before = idles.get(projectDir)
  if (before?.key === key && now >= before.at && now - before.at < IDLE_FRESH_MS) return before.idle
  if (idles.size >= MOST_IDLE) idles.clear()
  const idle = idleTime(events, freeze, now)
  idles.set(projectDir, { key, at: now, idle })
  return idle
}

type Unestimated = Omit<RiderReport, 'eta'>

/** Cars first, then whom a person let go first, then as they boarded. */
function inTheirOrder(riders: Unestimated[]): Unestimated[] {
  const behind = Number.MAX_SAFE_INTEGER
  const rank = ({ place, front }: Unestimated) => place ?? (front === undefined ? behind : behind - 1)
  return riders.sort((a, b) => rank(a) - rank(b))
}

function withEstimates(riders: Unestimated[], facts: Omit<EstimateFacts, 'riders'>): RiderReport[] {
  return riders.map((rider) => ({ ...rider, eta: estimateLanding({ ...facts, riders }, rider.pull) }))
}

function isoOf(time: number | null): string | null {
  return time === null || Number.isNaN(time) ? null : new Date(time).toISOString()
}

const MOST_MEASURED = 20

/** How long the last trees were checked; of a train whose checks run elsewhere, how long its riders were aboard. */
function readDurations(directory: string, events: readonly TrainEvent[]): number[] {
  const checks = join(directory, 'run-1', 'checks')
  const trees = namesIn(checks)
    .map((name) => ({ name, at: statSync(join(checks, name), { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
    .sort((a, b) => b.at - a.at)
    .slice(0, MOST_MEASURED)
  const measured = trees.flatMap(({ name }) => durationOf(join(checks, name)) ?? [])
  return measured.length > 0 ? measured : timesAboard(events)
}

/** From the start of its first check to the end of the last one; null: not all of them have passed. */
function durationOf(directory: string): number | null {
  const times = namesIn(directory)
    .filter((name) => name.endsWith('.json'))
    .map((name) => readTimes(join(directory, name)))
  if (times.length === 0) return null
  return Math.max(...times.map(({ end }) => end)) - Math.min(...times.map(({ start }) => start))
}

/** NaN: it has not ended, or cannot be read. */
function readTimes(path: string): { start: number; end: number } {
  try {
    const { startedAt, finishedAt, status } = JSON.parse(readIfThere(path) ?? 'null') as Partial<CheckRecord>
    return { start: Date.parse(startedAt ?? ''), end: status === 'passed' ? Date.parse(finishedAt ?? '') : Number.NaN }
  } catch {
    // A damaged one is run again, and measured then.
    return { start: Number.NaN, end: Number.NaN }
  }
}

function timesAboard(events: readonly TrainEvent[]): number[] {
  const boarded = new Map<number, number>()
  return events.flatMap((event) => {
    if (event.type === 'boarded') boarded.set(event.pull, Date.parse(event.at))
    const since = event.type === 'landed' ? boarded.get(event.pull) : undefined
    return since === undefined ? [] : [Date.parse(event.at) - since]
  })
}

function reportRider(
  source: ReportSource,
  {
    state,
    cars,
    rider,
    obstacle,
    directory,
  }: Pick<TrainReport, 'obstacle'> & { state: TrainState; cars: ReportedCar[]; rider: Rider; directory: string },
): Unestimated {
  const pull = source.pullOf(rider.pull)
  const index = cars.findIndex((car) => car.pull === rider.pull && car.headSha === rider.headSha)
  const car = cars[index]
  const result = car ? source.resultOf(directory, car.tree, attemptOf(state, car.tree)) : null
  const states = { passed: 'green', failed: 'red', running: 'testing' } as const
  return {
    ...rider,
    title: pull?.title ?? '',
    session: pull?.session ?? null,
    place: car ? index + 1 : null,
    state: result ? states[result.state] : car && obstacle === null ? 'testing' : 'waiting',
    commit: car?.commit ?? null,
    why: secondRunOf(rider) ?? whyWaiting(directory, rider),
    changedChecks: car?.changedChecks ?? [],
    reused: car?.reused ?? [],
    resolved: car?.resolved ?? [],
  }
}
