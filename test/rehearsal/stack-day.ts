// A day of work that depends on other work, minute by minute: the real decisions about starts, restacks and landings, with
// agents that take their time, reviewers who want changes, conflicts, and a train that dies between any two writes.
import type { ObservedBlocker, Stand } from '../../src/contract/blocker.ts'
import { decideRestack } from '../../src/core/task/decide-restack.ts'
import { decideStart } from '../../src/core/task/decide-start.ts'
import { stepTrain } from '../../src/landing/train/step-train.ts'
import {
  createWorld,
  DeathError,
  headOf,
  isGreen,
  newHead,
  type SimPull,
  startProcess,
  type World,
} from '../../src/rehearsal/train-world.ts'

/** What each piece of work needs, by number. */
export type Shape = Record<number, number[]>

export const CHAIN: Shape = { 1: [], 2: [1], 3: [2], 4: [3], 5: [4] }
export const DIAMOND: Shape = { 1: [], 2: [1], 3: [1], 4: [2], 5: [3], 6: [4, 5] }

interface Work {
  pull: SimPull
  needs: number[]
  /** Minutes that its agent takes. */
  takes: number
  startedAt: number | null
  /** Its agent is in a turn until then. */
  busyUntil: number
  /** CI and review of its head are over then. */
  readyAt: number
  on: number | null
  /** Work that its branch began with. */
  holds: ReadonlySet<number>
  hasCommits: boolean
  mayBeChanged: boolean
}

export interface Day {
  minutes: number
  trouble: string[]
}

const CI_MINUTES = 8
const MOST_MINUTES = 5_000
const commitOf = (text: string) =>
  [...text]
    .map((char) => char.charCodeAt(0).toString(16))
    .join('')
    .padEnd(40, '0')

export async function liveDay(shape: Shape, speculate: boolean, random: () => number): Promise<Day> {
  const works = new Map<number, Work>()
  for (const [key, needs] of Object.entries(shape)) {
    const number = Number(key)
    const pull: SimPull = {
      ...{ number, version: 1, bad: false, badWith: null, conflictsWith: null, landed: false, labels: [] },
      waits: true,
    }
    const times = { startedAt: null, busyUntil: 0, readyAt: Number.POSITIVE_INFINITY }
    const takes = 20 + Math.floor(random() * 40)
    works.set(number, {
      ...{ pull, needs, takes, ...times, on: null, holds: new Set<number>(), hasCommits: false },
      mayBeChanged: random() < 0.25,
    })
  }
  const world = createWorld(
    random,
    [...works.values()].map(({ pull }) => pull),
  )
  const trouble: string[] = []
  const rule = { batch: 4, order: 'safe' as const, priority: [] }
  let process = startProcess(world, () => random() < 0.01)
  for (let minute = 0; minute < MOST_MINUTES; minute++) {
    for (const work of works.values()) live(works, work, { minute, speculate, random, trouble })
    const before = landedOf(world)
    try {
      if (minute % 4 === 0) process.finishChecks()
      for (let step = 0; step < 50; step++) if ((await stepTrain(process.ports, rule)).kind !== 'again') break
    } catch (error) {
      if (!(error instanceof DeathError)) throw error
      process = startProcess(world, () => random() < 0.01)
    }
    const landed = landedOf(world).filter((one) => !before.includes(one))
    trouble.push(...wrong(world, works, landed))
    if (landedOf(world).length === works.size) return { minutes: minute, trouble }
  }
  return { minutes: MOST_MINUTES, trouble: [...trouble, 'not everything landed'] }
}

const landedOf = ({ pulls }: World) => [...pulls.values()].flatMap((pull) => (pull.landed ? [pull.number] : []))

/** Before what it needs, on another base, or red. */
function wrong(world: World, works: ReadonlyMap<number, Work>, landed: readonly number[]): string[] {
  const { disk, pulls } = world
  const hasPassed = (tree: string) =>
    [...disk.results].some(([key, { state }]) => key.startsWith(`${tree} #`) && state === 'passed')
  return [
    ...landed.flatMap((number) =>
      works
        .get(number)!
        .needs.flatMap((need) => (pulls.get(need)!.landed ? [] : [`#${number} landed before #${need}`])),
    ),
    ...landed.flatMap((number) => (pulls.get(number)!.on ? [`#${number} landed in the branch of another`] : [])),
    ...disk.moved.filter((tree) => !hasPassed(tree)).map((tree) => `${tree} landed untested`),
    ...(isGreen(world, disk.base) ? [] : ['the base branch is red']),
    ...disk.base
      .filter((head) => /^h\d/.test(head) && !pulls.get(Number(/\d+/.exec(head)![0]))!.landed)
      .map((head) => `${head} came along with another`),
  ]
}

interface Moment {
  minute: number
  speculate: boolean
  random: () => number
  trouble: string[]
}

function live(works: ReadonlyMap<number, Work>, work: Work, moment: Moment): void {
  const { minute, random } = moment
  const { pull } = work
  if (pull.landed) return
  if (work.startedAt === null) {
    start(works, work, moment)
    return
  }
  if (minute < work.busyUntil) return
  if (!work.hasCommits) {
    work.hasCommits = true
    change(work, moment)
    return
  }
  if (restack(works, work, moment)) return
  const isReady = minute >= work.readyAt
  if (isReady && work.mayBeChanged) {
    // A reviewer wants something else.
    work.mayBeChanged = false
    work.busyUntil = minute + 5 + Math.floor(random() * 10)
    work.hasCommits = false
    pull.waits = true
    return
  }
  pull.waits = !isReady
}

function start(works: ReadonlyMap<number, Work>, work: Work, { minute, speculate, trouble }: Moment): void {
  const observed = work.needs.map((number): ObservedBlocker => {
    const lower = works.get(number)!
    const blocker = { kind: 'session', id: `app-${number}` } as const
    if (lower.pull.landed) return { blocker, state: 'landed', detail: 'has landed' }
    return { blocker, state: 'open', detail: 'is open', stand: standOf(works, lower) }
  })
  const decision = decideStart(observed, { project: 'app', speculate })
  if (decision.act !== 'start') return
  work.startedAt = minute
  work.busyUntil = minute + work.takes
  const on = decision.on === null ? null : works.get(Number(decision.on.session.slice(4)))!
  work.on = on?.pull.number ?? null
  work.pull.on = on ? { number: on.pull.number, version: on.pull.version } : undefined
  // The base branch as it is now, or what the work below began with, and that work.
  work.holds = on
    ? new Set([...on.holds, on.pull.number])
    : new Set([...works.values()].flatMap(({ pull }) => (pull.landed ? [pull.number] : [])))
  for (const need of work.needs) if (!work.holds.has(need)) trouble.push(`#${work.pull.number} began without #${need}`)
}

function standOf(works: ReadonlyMap<number, Work>, { pull, startedAt, on }: Work): Stand | undefined {
  if (startedAt === null) return undefined
  const under: string[] = []
  for (let lower = on; lower !== null; lower = works.get(lower)!.on) under.push(`app-${lower}`)
  return { session: `app-${pull.number}`, branch: `work/${pull.number}`, under }
}

/** A new head: CI and review begin anew. */
function change(work: Work, { minute, random }: Moment): void {
  newHead(work.pull)
  work.pull.waits = true
  work.readyAt = minute + CI_MINUTES + Math.floor(random() * 15)
}

/** true: it was brought along, or its agent is asked to. */
function restack(works: ReadonlyMap<number, Work>, work: Work, moment: Moment): boolean {
  const { pull } = work
  const lower = work.on === null ? null : works.get(work.on)!.pull
  if (lower === null || pull.on === undefined) return false
  if (lower.landed) {
    // Its train does that while it is aboard; the loop does it otherwise, and takes over what landed as it was.
    if (pull.waits) {
      if (pull.on.version !== lower.version) change(work, moment)
      pull.on = undefined
      work.on = null
    }
    return false
  }
  const at = commitOf(`${lower.number}.${pull.on.version}`)
  const base = commitOf(headOf(lower).slice(1))
  const step = decideRestack({
    stack: { on: `app-${lower.number}`, at },
    base,
    ...{ holdsBase: at === base, holdsRequested: false, atIsInBase: true, baseIsInAt: false, isApproved: false },
  })
  if (step.act !== 'restack') return false
  pull.on = { number: lower.number, version: lower.version }
  change(work, moment)
  // The agent resolves conflicts.
  if (moment.random() < 0.1) work.busyUntil = moment.minute + 8
  return true
}
