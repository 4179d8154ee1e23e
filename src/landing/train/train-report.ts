// The train as people and programs see it: who is aboard and how far, who left and why, what landed. Reads only.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { ProjectConfig } from '../../contract/config.ts'
import type { PullRef } from '../../contract/pull.ts'
import type { Car, TreeResult } from '../../core/landing/decide-train.ts'
import type { Waiting } from '../../core/landing/repair-line.ts'
import { attemptOf, type Landed, type Left, type Rider, type TrainState } from '../../core/landing/train-state.ts'
import { writeFileAtomic } from '../../lib/atomic-write.ts'
import { systemClock } from '../../lib/clock.ts'
import { readIfThere } from '../../lib/plain-file.ts'
import { type HandMove, readHandMoves } from '../watch/hand-moves.ts'
import { openTrainFile } from './train-file.ts'

export interface RiderReport extends Rider {
  title: string
  session: string | null
  /** Its number among the cars that are tested now; null: it waits. */
  place: number | null
  state: 'waiting' | 'testing' | 'green' | 'red'
  /** The car's commit. */
  commit: string | null
  /** Why it is not asked to rebase yet; null: nothing of that kind. */
  why: string | null
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
  stopped: TrainState['stopped']
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

export function readTrainReport(source: ReportSource, projectDir: string, project: ProjectConfig): TrainReport {
  const file = openTrainFile({ projectDir, clock: systemClock })
  const state = file.read()
  const cars = readCars(file.directory)
  const titled = <T extends { pull: number }>(one: T) => ({ ...one, title: source.pullOf(one.pull)?.title ?? '' })
  return {
    projectId: project.id,
    mode: project.landing?.mode ?? 'off',
    paused: state.paused,
    stopped: state.stopped,
    riders: state.riders.map((rider) => reportRider(source, { state, cars, rider, directory: file.directory })),
    left: state.left.map(titled),
    waiting: readWaiting(file.directory)
      .filter(({ pull }) => !state.riders.some((rider) => rider.pull === pull))
      .map((one) => titled({ pull: one.pull, why: whyWaiting(file.directory, one) ?? '' })),
    landed: state.landed.map(titled),
    past: source.past(),
    moved: readHandMoves(projectDir),
    flaky: state.flaky.length,
  }
}

function reportRider(
  source: ReportSource,
  { state, cars, rider, directory }: { state: TrainState; cars: ReportedCar[]; rider: Rider; directory: string },
): RiderReport {
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
    state: result ? states[result.state] : car ? 'testing' : 'waiting',
    commit: car?.commit ?? null,
    why: whyWaiting(directory, rider),
    changedChecks: car?.changedChecks ?? [],
    reused: car?.reused ?? [],
    resolved: car?.resolved ?? [],
  }
}

/** Who waits until another one has landed or was repaired, for reports only: nothing is decided by it. */
export function writeWaiting(directory: string, waiting: readonly Waiting[]): void {
  const path = join(directory, 'line.json')
  const text = `${JSON.stringify(waiting)}\n`
  const before = readIfThere(path)
  if (before === text || (before === null && waiting.length === 0)) return
  writeFileAtomic(path, text, { durable: false })
}

function readWaiting(directory: string): Waiting[] {
  return readList<Waiting>(join(directory, 'line.json'))
}

/** In words; null: it does not wait with this head. */
export function whyWaiting(directory: string, { pull, headSha }: { pull: number; headSha: string }): string | null {
  const found = readWaiting(directory).find((one) => one.pull === pull)
  if (found?.headSha !== headSha) return null
  const others = found.behind.map((one) => `#${one}`).join(', ')
  return `it conflicts, and is asked to rebase once ${others} landed or gave up`
}

/** A car with what people should know of it. */
export interface ReportedCar extends Car {
  changedChecks?: string[] | undefined
}

/** The cars of the running train: for reports, and so that green ones are built in the same order again. */
export function writeCars(directory: string, cars: readonly ReportedCar[]): void {
  const text = `${JSON.stringify(cars)}\n`
  // Nothing has ever boarded.
  if (cars.length === 0 && !existsSync(directory)) return
  if (readIfThere(join(directory, 'cars.json')) !== text)
    writeFileAtomic(join(directory, 'cars.json'), text, { durable: false })
}

export function readCars(directory: string): ReportedCar[] {
  return readList<ReportedCar>(join(directory, 'cars.json'))
}

function readList<T>(path: string): T[] {
  try {
    const list: unknown = JSON.parse(readIfThere(path) ?? '[]')
    return Array.isArray(list) ? (list as T[]) : []
  } catch {
    // The next step of the train replaces it.
    return []
  }
}
