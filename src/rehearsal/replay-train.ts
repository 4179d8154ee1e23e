// The train of a recorded day with other settings: its real steps over the pull requests of that day, which become ready when they did, meet
// whom they met and fail where they failed. An estimate: which other cars would have been red nobody tested.

import type { ProjectConfig } from '../contract/config.ts'
import type { CassetteLine } from '../core/recording/cassette.ts'
import { stepTrain, type TrainRule } from '../landing/train/step-train.ts'
import { trainRule } from '../landing/train/train-rule.ts'
import { createRandom } from './random.ts'
import { createWorld, isReviewRequested, rebase, type SimPull, startProcess } from './train-world.ts'

export interface TrainReplay {
  rule: TrainRule
  recorded: { landed: number; left: number }
  estimated: { landed: number; left: number; runs: number; minutes: number | null }
}

interface TrainLine {
  t: number
  type: string
  pull: number
  why: string | undefined
  others: number[]
}

const MINUTE = 60_000
/** Where the recording does not say how long checks take. */
const USUAL_CHECK_MINUTES = 5
const MOST_STEPS = 50

/** null: no train ran on that day, or none would run now. */
export async function replayTrain(lines: readonly CassetteLine[], project: ProjectConfig): Promise<TrainReplay | null> {
  const events = lines.flatMap((line): TrainLine[] =>
    line.k === 'train' && line.pull !== null
      ? [{ t: line.t, type: line.type, pull: line.pull, why: line.why, others: line.others ?? [] }]
      : [],
  )
  if (events.length === 0 || project.landing?.mode !== 'train') return null
  const { rule } = trainRule(project, { merge: 'merge' })
  const recorded = { landed: countOf(events, 'landed'), left: countOf(events, 'left') }
  return { rule, recorded, estimated: await estimate(events, rule) }
}

function countOf(events: readonly TrainLine[], type: string): number {
  return new Set(events.flatMap((one) => (one.type === type ? [one.pull] : []))).size
}

async function estimate(events: readonly TrainLine[], rule: TrainRule): Promise<TrainReplay['estimated']> {
  const { below } = createRandom(1)
  const arrivals = [...Map.groupBy(events, ({ pull }) => pull)].map(([number, own]) => ({
    pull: pullOf(number, own),
    own,
  }))
  const world = createWorld(() => below(1_000_000) / 1_000_000, [])
  const train = startProcess(world, () => false)
  const checkMinutes = checkMinutesOf(events)
  const from = Math.min(...events.map(({ t }) => t))
  const to = Math.max(...events.map(({ t }) => t))
  const waits: number[] = []
  const ready = new Map<number, number>()
  for (let now = from, minute = 0; now <= to + checkMinutes * MINUTE; now += MINUTE, minute++) {
    for (const { pull, own } of arrivals) {
      if (own[0]!.t > now || world.pulls.has(pull.number)) continue
      world.pulls.set(pull.number, pull)
      ready.set(pull.number, now)
    }
    for (const { pull, own } of arrivals) answer(world, pull, own, now)
    if (minute % checkMinutes === 0) train.finishChecks()
    for (let step = 0; step < MOST_STEPS; step++) if ((await stepTrain(train.ports, rule)).kind !== 'again') break
    for (const { number } of [...world.pulls.values()].filter(({ landed }) => landed)) {
      const since = ready.get(number)
      if (since !== undefined && ready.delete(number)) waits.push((now - since) / MINUTE)
    }
  }
  const sorted = waits.toSorted((a, b) => a - b)
  return {
    landed: waits.length,
    left: world.disk.state.left.filter(({ pull }) => world.pulls.get(pull)?.landed === false).length,
    runs: [...world.disk.runs.values()].reduce((sum, count) => sum + count, 0),
    minutes: sorted[Math.floor(sorted.length / 2)] ?? null,
  }
}

function pullOf(number: number, own: readonly TrainLine[]): SimPull {
  const left = own.filter(({ type }) => type === 'left')
  const conflict = left.find(({ why, others }) => why === 'conflict' && others.length > 0)
  return {
    ...{ number, version: 1, landed: false, labels: [], badWith: null },
    bad: left.some(({ why }) => why === 'red'),
    conflictsWith: conflict?.others[0] ?? null,
  }
}

/** Its agent answers a departure when it did on that day: with the time that it took to board again. */
function answer(world: Parameters<typeof rebase>[0], pull: SimPull, own: readonly TrainLine[], now: number): void {
  const again = own.filter(({ type, t }) => type === 'boarded' && t <= now).length
  if (again <= pull.version || !world.pulls.has(pull.number)) return
  if (isReviewRequested(world, pull)) rebase(world, pull)
  else pull.version += 1
  pull.bad = false
}

/** Between boarding and landing, of those that waited least. */
function checkMinutesOf(events: readonly TrainLine[]): number {
  const times = events
    .filter(({ type }) => type === 'landed')
    .flatMap(({ pull, t }) => {
      const boarded = events.findLast((one) => one.pull === pull && one.type === 'boarded' && one.t <= t)
      return boarded ? [(t - boarded.t) / MINUTE] : []
    })
    .toSorted((a, b) => a - b)
  return Math.max(1, Math.round(times[Math.floor(times.length / 4)] ?? USUAL_CHECK_MINUTES))
}
