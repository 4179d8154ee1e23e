// A small world for the train: pull requests with habits, a base branch that people push to, checks that take time, and a
// process that dies between any two writes. The train's own code runs in it unchanged.
import type { Below, Car, Train, TreeResult } from '../core/landing/decide-train.ts'
import { EMPTY_TRAIN, evolve, type Left, type TrainState } from '../core/landing/train-state.ts'
import type { TrainPorts, TrainView } from '../landing/train/step-train.ts'

export class DeathError extends Error {}

export interface SimPull {
  number: number
  version: number
  /** Fails the checks by itself. */
  bad: boolean
  /** Fails them together with this one. */
  badWith: number | null
  conflictsWith: number | null
  /** They change the same lines as it does. */
  meets?: ReadonlySet<number> | undefined
  /** Those of them that it was rebased onto. */
  resolved?: number[] | undefined
  landed: boolean
  labels: string[]
  /** Not approved or not green by itself yet. */
  waits?: boolean | undefined
  /** The car that it was rebased onto. */
  builtOn?: string | undefined
  /** The pull request whose branch it is for, and the version of it that it holds; absent: the base branch. */
  on?: { number: number; version: number } | undefined
}

export interface Disk {
  state: TrainState
  /** What is in the base branch: pushes of people, and landed heads. */
  base: string[]
  results: Map<string, TreeResult>
  /** Every tree that the base branch moved to by the train. */
  moved: string[]
  runs: Map<string, number>
  /** Runs that were started although their result was known. */
  repeated: string[]
  writes: number
}

export interface World {
  disk: Disk
  pulls: Map<number, SimPull>
  random: () => number
  /** Chance that a check fails although nothing is wrong. */
  flakiness: number
  baseIsRed: boolean
  /** How often the train has observed it, and when it saw each departure first. */
  steps: number
  seenAt: Map<string, number>
  /** Steps, unless there is a clock. */
  now(): number
  /** Whoever was asked to rebase may be at it for so long. */
  repairTime: number
}

/** About as many steps as an agent takes for it. */
const REPAIR_STEPS = 25

export function createWorld(random: () => number, pulls: SimPull[]): World {
  const disk: Disk = {
    state: EMPTY_TRAIN,
    base: ['start'],
    results: new Map(),
    moved: [],
    runs: new Map(),
    repeated: [],
    writes: 0,
  }
  const own = { flakiness: 0, baseIsRed: false, steps: 0, seenAt: new Map<string, number>(), repairTime: REPAIR_STEPS }
  const world: World = {
    ...{ disk, pulls: new Map(pulls.map((pull) => [pull.number, pull])), random, ...own },
    now: () => world.steps,
  }
  return world
}

export const headOf = ({ number, version }: Pick<SimPull, 'number' | 'version'>) => `h${number}.${version}`
const treeOf = (content: readonly string[]) => `tree ${[...content].sort().join(',')}`
const commitOf = (content: readonly string[]) => `commit ${content.join(',')}`
const contentOf = (commit: string) => commit.slice('commit '.length).split(',')

/** Does the content pass, when nothing flakes? */
export function isGreen(world: World, content: readonly string[]): boolean {
  const inside = [...world.pulls.values()].filter((pull) => content.includes(headOf(pull)))
  const numbers = new Set(inside.map(({ number }) => number))
  const isBroken = inside.some(({ bad, badWith }) => bad || (badWith !== null && numbers.has(badWith)))
  return !isBroken && !(world.baseIsRed && !content.includes('fix'))
}

export interface SimProcess {
  ports: TrainPorts
  /** Time passes: running checks end. */
  finishChecks(): void
}

/** A process over the disk; what it only remembers dies with it. */
export function startProcess(world: World, dies: () => boolean): SimProcess {
  const { disk } = world
  let last: readonly Car[] = []
  const running = new Map<string, { content: string[]; attempt: number }>()
  const write = (act: () => void) => {
    disk.writes += 1
    if (dies()) throw new DeathError('before the write')
    act()
    if (dies()) throw new DeathError('after the write')
  }
  const resultKey = (tree: string, attempt: number) => `${tree} #${attempt}`
  const ports: TrainPorts = {
    read: () => disk.state,
    append: async (event) =>
      write(() => {
        disk.state = evolve(disk.state, { ...event, at: String(disk.writes).padStart(8, '0') })
      }),
    observe: async () => observe(world),
    built: () => last,
    async build(_base, order, batch) {
      const train = build(world, order, batch)
      last = train.cars
      return train
    },
    resultOf: (tree, attempt) =>
      running.has(tree) ? { state: 'running' } : (disk.results.get(resultKey(tree, attempt)) ?? null),
    test(wanted, keep) {
      for (const tree of running.keys()) if (!keep.has(tree)) running.delete(tree)
      for (const { commit, tree, attempt } of wanted)
        if (!running.has(tree)) {
          if (disk.results.has(resultKey(tree, attempt))) disk.repeated.push(resultKey(tree, attempt))
          running.set(tree, { content: contentOf(commit), attempt })
        }
    },
    isSameChange: async () => true,
    async retarget(pull) {
      write(() => {
        world.pulls.get(pull)!.on = undefined
      })
      return null
    },
    async land(base, car) {
      if (base !== commitOf(disk.base)) return { kind: 'moved' }
      const pull = world.pulls.get(car.pull)!
      if (headOf(pull) !== car.headSha || pull.on !== undefined) return { kind: 'moved' }
      write(() => {
        disk.base = contentOf(car.commit)
        disk.moved.push(car.tree)
        pull.landed = true
      })
      return { kind: 'landed', commit: car.commit }
    },
  }
  return {
    ports,
    finishChecks() {
      for (const [tree, { content, attempt }] of [...running]) {
        running.delete(tree)
        const isFine = isGreen(world, content) && world.random() >= world.flakiness
        disk.runs.set(resultKey(tree, attempt), (disk.runs.get(resultKey(tree, attempt)) ?? 0) + 1)
        write(() =>
          disk.results.set(resultKey(tree, attempt), isFine ? { state: 'passed' } : { state: 'failed', check: 'test' }),
        )
      }
    },
  }
}

function observe(world: World): TrainView {
  world.steps += 1
  const now = world.now()
  for (const { at } of world.disk.state.left) if (!world.seenAt.has(at)) world.seenAt.set(at, now)
  const open = [...world.pulls.values()].filter(({ landed }) => !landed)
  return {
    base: commitOf(world.disk.base),
    pulls: open.map((pull) => ({
      number: pull.number,
      headSha: headOf(pull),
      ready: pull.waits !== true,
      conflicts: isStale(world, pull),
      hasAgent: true,
      builtOn: pull.builtOn !== undefined && !isInside(pull.builtOn, world.disk.base) ? [pull.builtOn] : [],
      below: belowOf(world, pull),
      obstacle: null,
      labels: pull.labels,
    })),
    past: [...world.pulls.values()]
      .filter(({ landed }) => landed)
      .map((pull) => ({ number: pull.number, headSha: headOf(pull), mergeCommit: commitOf(world.disk.base) })),
    isRecent: (at) => now - (world.seenAt.get(at) ?? now) < world.repairTime,
    collide: (a, b) => doMeet(world.pulls.get(a), world.pulls.get(b)),
  }
}

function belowOf({ pulls }: World, { on }: SimPull): Below | undefined {
  const lower = on && pulls.get(on.number)
  return on && lower && { pull: on.number, isLanded: lower.landed, isHeld: lower.version === on.version }
}

type Ordered = ReadonlyArray<{ pull: number; headSha: string; on?: number | undefined }>

function build(world: World, order: Ordered, batch: number): Train {
  let content = world.disk.base
  const cars: Car[] = []
  const conflicts: Train['conflicts'] = []
  const meets: NonNullable<Train['meets']> = []
  for (const { pull, headSha, on } of order) {
    if (cars.length >= batch) break
    if (on !== undefined && !cars.some((car) => car.pull === on)) continue
    const inside = cars.map((car) => car.pull)
    const own = world.pulls.get(pull)!
    const { builtOn, on: lower } = own
    const isBlocked = inside.some((other) => doMeet(own, world.pulls.get(other)))
    const isLate = isStale(world, own)
    if (isLate) conflicts.push({ pull, headSha, files: ['shared'] })
    else if (isBlocked && on === undefined) meets.push({ pull, headSha, files: ['shared'], behind: cars.length })
    if (isLate || isBlocked) continue
    const held = [...contentOf(builtOn ?? commitOf([])).filter(Boolean), ...(lower ? [headOf(lower)] : [])]
    content = [...new Set([...content, ...held, headSha])]
    cars.push({ pull, headSha, commit: commitOf(content), tree: treeOf(content) })
  }
  return { base: commitOf(world.disk.base), baseTree: treeOf(world.disk.base), cars, conflicts, meets }
}

function doMeet(a: SimPull | undefined, b: SimPull | undefined): boolean {
  if (!a || !b || a === b) return false
  if (a.conflictsWith === b.number || b.conflictsWith === a.number) return true
  const isSolved = a.resolved?.includes(b.number) || b.resolved?.includes(a.number)
  return (a.meets?.has(b.number) || b.meets?.has(a.number)) === true && !isSolved
}

/** Something that it conflicts with has landed. */
export function isStale({ pulls }: Pick<World, 'pulls'>, pull: SimPull): boolean {
  if (pull.conflictsWith !== null && pulls.get(pull.conflictsWith)?.landed) return true
  return [...(pull.meets ?? [])].some((other) => pulls.get(other)?.landed && doMeet(pull, pulls.get(other)))
}

/** Is everything of the commit in the base branch? */
function isInside(commit: string, base: readonly string[]): boolean {
  return contentOf(commit).every((one) => base.includes(one))
}

function departureOf({ disk }: World, pull: SimPull): Left | undefined {
  return disk.state.left.find((one) => one.pull === pull.number && one.headSha === headOf(pull))
}

/** Is its agent asked to rebase it? */
export function isReviewRequested(world: World, pull: SimPull): boolean {
  return !pull.landed && departureOf(world, pull)?.onto !== undefined
}

/** The agent does what it was asked to when its pull request left. */
export function rebase(world: World, pull: SimPull): void {
  const left = departureOf(world, pull)
  if (left?.onto === undefined) return
  pull.builtOn = left.why === 'conflict' && left.onto.cars.length > 0 ? left.onto.commit : undefined
  if (left.why === 'conflict')
    resolveWith(
      world,
      pull,
      left.onto.cars.map((car) => car.pull),
    )
  newHead(pull)
}

/** What it was rebased onto is no longer in its way. */
export function resolveWith(world: World, pull: SimPull, others: readonly number[]): void {
  const isBase = others.length === 0
  const landed = [...world.pulls.values()].flatMap((one) => (one.landed ? [one.number] : []))
  pull.resolved = [...new Set([...(pull.resolved ?? []), ...others, ...landed])]
  if (pull.conflictsWith !== null && (isBase || others.includes(pull.conflictsWith))) pull.conflictsWith = null
  for (const other of others) {
    const one = world.pulls.get(other)
    if (one?.conflictsWith === pull.number) one.conflictsWith = null
  }
}

export function newHead(pull: SimPull): void {
  pull.version += 1
}
