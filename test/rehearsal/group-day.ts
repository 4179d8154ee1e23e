// A day of one task over three repositories, minute by minute: the real decision about a group, real trains in some of them, agents
// that take their time, reviewers who change their minds halfway, and a loop that dies between any two writes.
import { decideGroup, type MemberFacts } from '../../src/core/task/decide-landing.ts'
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

interface Member {
  session: string
  world: World
  pull: SimPull
  hasTrain: boolean
  /** Its agent works until then. */
  busyUntil: number
  /** CI and review of its head are over then. */
  readyAt: number
  /** A reviewer takes the approval back for a while, once an earlier part has landed. */
  mayBeDoubted: boolean
  /** Its turn has come: as its record says. */
  isChosen: boolean
  train: ReturnType<typeof startProcess>
}

export interface GroupDay {
  minutes: number
  trouble: string[]
  deaths: number
  /** Why the rest waited after a part had landed. */
  stops: string[]
}

const MOST_MINUTES = 5_000
const [CI_MINUTES, REVIEW_MINUTES] = [8, 15]
const RULE = { batch: 4, order: 'safe' as const, priority: [] }

export async function liveGroup(parts: number, random: () => number): Promise<GroupDay> {
  const members = Array.from({ length: parts }, (_, index) => createMember(`p${index + 1}-1`, random))
  const day: GroupDay = { minutes: 0, trouble: [], deaths: 0, stops: [] }
  for (; day.minutes < MOST_MINUTES; day.minutes++) {
    for (const member of members) work(members, member, day.minutes, random)
    const before = landedOf(members)
    for (const member of members)
      if (await dies(day, () => ride(member, day.minutes))) member.train = startTrain(member.world)
    await dies(day, () => landGroup(members, day, random))
    day.trouble.push(...wrong(members, before))
    if (landedOf(members).length === members.length) return day
  }
  day.trouble.push('not everything landed')
  return day
}

function createMember(session: string, random: () => number): Member {
  const pull = { ...newPull(1), waits: true }
  // Somebody else's, which may be in its way; without a train nobody tests the two together.
  const hasTrain = random() < 0.5
  const other = newPull(2)
  if (hasTrain && random() < 0.5) other[random() < 0.5 ? 'conflictsWith' : 'badWith'] = 1
  const world = createWorld(random, [pull, other])
  return {
    ...{ session, world, pull, hasTrain, isChosen: false, train: startTrain(world) },
    busyUntil: 20 + Math.floor(random() * 40),
    readyAt: Number.POSITIVE_INFINITY,
    mayBeDoubted: random() < 0.3,
  }
}

const startTrain = (world: World) => startProcess(world, () => world.random() < 0.01)

function newPull(number: number): SimPull {
  return { number, version: 1, bad: false, badWith: null, conflictsWith: null, landed: false, labels: [] }
}

const landedOf = (members: readonly Member[]) => members.flatMap(({ pull, session }) => (pull.landed ? [session] : []))
const isReady = ({ pull, readyAt, world }: Member, minute: number) => minute >= readyAt && !hasLeft(world, pull)
/** The train does not take this head: its agent has to mend it. */
const hasLeft = ({ disk }: World, pull: SimPull) =>
  disk.state.left.some((one) => one.pull === pull.number && one.headSha === headOf(pull))

function work(members: readonly Member[], member: Member, minute: number, random: () => number): void {
  const { pull, world, hasTrain } = member
  if (random() < 0.02) world.disk.base = [...world.disk.base, `push${minute}`]
  if (!hasTrain && !world.pulls.get(2)!.landed && random() < 0.01) mergeNow(world, 2)
  if (pull.landed || minute < member.busyUntil) return
  const isFirst = member.readyAt === Number.POSITIVE_INFINITY
  if (isFirst || hasLeft(world, pull)) {
    if (!isFirst) mend(world)
    newHead(pull)
    member.readyAt = minute + CI_MINUTES + Math.floor(random() * REVIEW_MINUTES)
  }
  if (member.mayBeDoubted && members[0]!.pull.landed) {
    member.mayBeDoubted = false
    member.readyAt = minute + 30
  }
  pull.waits = !(member.isChosen && isReady(member, minute))
}

/** The two are no longer in each other's way. */
function mend({ pulls }: World): void {
  Object.assign(pulls.get(2)!, { conflictsWith: null, badWith: null })
}

async function ride({ world, hasTrain, train }: Member, minute: number): Promise<void> {
  if (!hasTrain) return
  const other = world.pulls.get(2)!
  if (hasLeft(world, other)) {
    mend(world)
    newHead(other)
  }
  if (minute % 4 === 0) train.finishChecks()
  for (let step = 0; step < 50; step++) if ((await stepTrain(train.ports, RULE)).kind !== 'again') return
}

/** As src/lifecycle/landing/land-groups.ts does it, with these forges. */
async function landGroup(members: readonly Member[], day: GroupDay, random: () => number): Promise<void> {
  const failpoint = () => {
    if (random() < 0.1) throw new DeathError('killed')
  }
  for (;;) {
    const step = decideGroup(members.map((member) => factsOf(member, day.minutes)))
    if (step.act === 'wait' || step.act === 'done') return
    if (step.act === 'stop') {
      if (!day.stops.includes(step.reason)) day.stops.push(step.reason)
      return
    }
    const next = members.find(({ session }) => session === step.session)!
    const missing = members.find((one) => !one.pull.landed && !isReady(one, day.minutes))
    if (missing) day.trouble.push(`${next.session} may land although ${missing.session} is not ready`)
    next.isChosen = true
    failpoint()
    if (next.hasTrain) return
    mergeNow(next.world, 1)
    failpoint()
  }
}

function factsOf(member: Member, minute: number): MemberFacts {
  const { session, pull } = member
  return { session, state: pull.landed ? 'landed' : 'open', isReady: isReady(member, minute), detail: 'is not ready' }
}

/** Without a train. */
function mergeNow(world: World, number: number): void {
  const pull = world.pulls.get(number)!
  world.disk.base = [...world.disk.base, headOf(pull)]
  pull.landed = true
}

async function dies(day: GroupDay, act: () => Promise<void>): Promise<boolean> {
  try {
    await act()
    return false
  } catch (error) {
    if (!(error instanceof DeathError)) throw error
    day.deaths += 1
    return true
  }
}

/** Out of turn, another commit than the one that was ready, or red. */
function wrong(members: readonly Member[], before: readonly string[]): string[] {
  return members.flatMap(({ session, world, pull, isChosen, hasTrain }, at) => {
    const { base, moved, results } = world.disk
    const passed = (tree: string) =>
      [...results].some(([key, { state }]) => key.startsWith(`${tree} #`) && state === 'passed')
    const isNew = pull.landed && !before.includes(session)
    return [
      ...(isGreen(world, base) ? [] : [`${session}: the base branch is red`]),
      ...(hasTrain ? moved.filter((tree) => !passed(tree)).map((tree) => `${session}: ${tree} landed untested`) : []),
      ...(pull.landed && !base.includes(headOf(pull)) ? [`${session} landed as another commit`] : []),
      ...(base.filter((one) => one.startsWith('h1.')).length > 1 ? [`${session} landed twice`] : []),
      ...(pull.landed && !isChosen ? [`${session} landed before its turn`] : []),
      ...(isNew && members.slice(0, at).some((one) => !one.pull.landed) ? [`${session} landed out of order`] : []),
    ]
  })
}
