// What the train does next. Pure: what was observed goes in; events to write and steps to take come out.
import { isGrounded, strandedOn } from './stand-on-cars.ts'
import {
  chanceOf,
  type LeaveReason,
  type Left,
  type Rider,
  type TrainEventBody,
  type TrainState,
} from './train-state.ts'

/** The pull request whose branch another one is for. */
export interface Below {
  pull: number
  isLanded: boolean
  /** Its head is in the history of the one above. */
  isHeld: boolean
}

/** An open pull request onto the base branch, or onto one that is on its way there, as it is now. */
export interface RiderFacts {
  number: number
  headSha: string
  /** Approved, green, no draft: boards by itself. */
  ready: boolean
  /** It conflicts with the base branch: it does not board. Whether one that is aboard has to leave, its car shows. */
  conflicts?: boolean | undefined
  /** The agent of a session can be asked to rebase it. */
  hasAgent?: boolean | undefined
  /** Checks that passed on its head only on their second run. */
  flaky?: string[] | undefined
  /** Offered cars in its history that the base branch does not have. */
  builtOn?: readonly string[] | undefined
  /** The one that it stands on; absent: it is for the base branch itself. */
  below?: Below | undefined
  /** Why not even a person's word lets it ride: a draft, requested changes. null: nothing. */
  obstacle: string | null
}

/** Riders whose pull request is no longer open. */
export interface PastRider {
  number: number
  /** null: it was closed without a merge. */
  mergeCommit: string | null
  headSha: string
  /** Why its tree was never tested as it landed; absent: it was, or that is unknown. */
  untested?: string | undefined
}

/** Pull requests that landed and are no longer in the base branch. */
export function decideLost(
  { landed }: TrainState,
  { lost = [], branch = 'the base branch' }: { lost?: readonly number[] | undefined; branch?: string | undefined },
): TrainEventBody[] {
  return landed
    .filter(({ pull }) => lost.includes(pull))
    .map(({ pull, headSha, commit }) => {
      const said = `it landed as ${commit.slice(0, 10)}, and ${branch} was rewritten without it`
      return { type: 'left', pull, headSha, why: 'gone', said }
    })
}

/** Reasons that hold for this very head: it boards again with another one, or when a person says so. */
const HOLDING: readonly LeaveReason[] = ['red', 'conflict', 'removed', 'refused']

/** Who boards and who leaves, before any car is built. */
export function decideRiders(
  state: TrainState,
  pulls: readonly RiderFacts[],
  past: readonly PastRider[],
): TrainEventBody[] {
  const open = new Map(pulls.map((pull) => [pull.number, pull]))
  const over = new Map(past.map((pull) => [pull.number, pull]))
  const leaving = state.riders.flatMap(
    (rider) => departureOf(state, rider, open.get(rider.pull), over.get(rider.pull)) ?? [],
  )
  const aboard = new Set(state.riders.map(({ pull }) => pull))
  const ashore = pulls.filter(({ number }) => !aboard.has(number))
  const stranded = ashore.flatMap((pull) => strandingOf(state, pull) ?? [])
  const boarding = ashore
    .filter((pull) => pull.ready && pull.conflicts !== true && !isHeldBack(state, pull))
    .filter(({ builtOn = [] }) => isGrounded(state, builtOn))
    .filter((pull) => groundProblem(state, pull) === null && pull.below?.isHeld !== false)
    .map(({ number, headSha, flaky }): TrainEventBody => {
      return { type: 'boarded', pull: number, headSha, by: 'ao', ...(flaky?.length && { flaky }) }
    })
  return [...leaving, ...stranded, ...boarding]
}

function isHeldBack(state: TrainState, { number, headSha }: RiderFacts): boolean {
  return state.left.some((left) => left.pull === number && left.headSha === headSha && holds(state, left))
}

/** One that was in the way of a car which then did not land may ride as it is. */
function holds(state: TrainState, { why, onto }: Left): boolean {
  if (why === 'conflict' && onto !== undefined && onto.cars.length > 0) return strandedOn(state, onto) === null
  return HOLDING.includes(why)
}

/** Built on a car that will not land: what it holds must not land with it. Said once for each head. */
function strandingOf(state: TrainState, { number, headSha, builtOn = [] }: RiderFacts): TrainEventBody | null {
  const onto = builtOn.flatMap((commit) => {
    const offer = state.offers.find((one) => one.commit === commit)
    return (offer && strandedOn(state, offer)) ?? []
  })[0]
  if (onto === undefined) return null
  const isRecorded = state.left.some(
    (left) => left.pull === number && left.headSha === headSha && left.why === 'stranded',
  )
  return isRecorded ? null : { type: 'left', pull: number, headSha, why: 'stranded', onto }
}

/** null: it stays. Anything that cannot be read now (neither open nor past) changes nothing. */
function departureOf(
  state: TrainState,
  rider: Rider,
  now: RiderFacts | undefined,
  past: PastRider | undefined,
): TrainEventBody | null {
  const { pull, headSha } = rider
  if (past && past.mergeCommit !== null)
    return { type: 'landed', pull, headSha: past.headSha, commit: past.mergeCommit, untested: past.untested }
  if (past) return { type: 'left', pull, headSha, why: 'gone' }
  if (!now) return null
  if (now.headSha !== headSha) return { type: 'left', pull, headSha, why: 'moved' }
  const stranded = strandingOf(state, now)
  if (stranded) return stranded
  const problem = now.obstacle ?? groundProblem(state, now)
  const mayStay = problem === null && (now.ready || rider.by !== 'ao') && isGrounded(state, now.builtOn ?? [])
  return mayStay ? null : { type: 'left', pull, headSha, why: 'unready', said: problem ?? undefined }
}

/** It rides only behind the one that it stands on, as that is now: when that leaves, it leaves too. */
function groundProblem({ riders }: TrainState, { below }: RiderFacts): string | null {
  if (below === undefined || below.isLanded) return null
  if (!below.isHeld) return `it does not hold #${below.pull} as that is now`
  return riders.some(({ pull }) => pull === below.pull) ? null : `it stands on #${below.pull}, which is not aboard`
}

/** A car: the base, everything ahead of it, and this pull request. */
export interface Car {
  pull: number
  headSha: string
  commit: string
  tree: string
  /** Files whose conflict was solved as it had been solved before. */
  reused?: string[] | undefined
  /** What the rules for conflicts did, a line for each file. */
  resolved?: string[] | undefined
}

/** Built on the present base, in order. */
export interface Train {
  base: string
  baseTree: string
  cars: Car[]
  /** Riders that do not even merge with the base. */
  conflicts: Array<{ pull: number; headSha: string; files: string[]; said?: string | undefined }>
  /** Riders that do not fit behind the first `behind` cars. */
  meets?: Array<Train['conflicts'][number] & { behind: number }> | undefined
}

export type TreeResult = { state: 'passed' } | { state: 'running' } | { state: 'failed'; check: string }

export interface CarDecision {
  events: TrainEventBody[]
  /** Trees to be checked now, the most urgent first. */
  test: Array<{ commit: string; tree: string }>
  land: Car | null
}

/** `resultOf`: null: not known. A car lands only when its very tree has passed, and nothing is ahead of it. */
export function decideCars(
  state: TrainState,
  train: Train,
  resultOf: (tree: string) => TreeResult | null,
): CarDecision {
  if (state.stopped && state.stopped.base !== train.base) return only([{ type: 'continued' }])
  if (state.paused || (state.stopped && !train.cars.every(({ pull }) => repairs(state, pull)))) return only([])
  const flaky = train.cars.flatMap((car) => chanceTaken(state, car, resultOf(car.tree)) ?? [])
  if (flaky.length > 0) return only(flaky)
  const red = findGuilty(train, resultOf)
  const verdict = red === null ? null : judge(state, train, red, resultOf)
  if (verdict !== null && verdict.events.length > 0) return verdict
  const test = train.cars.filter(({ tree }) => resultOf(tree) === null).map(({ commit, tree }) => ({ commit, tree }))
  const [first] = train.cars
  const land = first && resultOf(first.tree)?.state === 'passed' ? first : null
  return { events: [], test: [...(verdict?.test ?? []), ...test], land }
}

/** What may ride while the base branch itself is red. */
function repairs({ riders }: TrainState, pull: number): boolean {
  return riders.some((rider) => rider.pull === pull && rider.first === true)
}

function only(events: TrainEventBody[]): CarDecision {
  return { events, test: [], land: null }
}

/** A suspect that passes now was not to blame. */
function chanceTaken({ riders }: TrainState, { pull, tree }: Car, result: TreeResult | null): TrainEventBody | null {
  const check = riders.find((rider) => rider.pull === pull)?.suspect
  return check !== undefined && result?.state === 'passed' ? { type: 'flaky', pull, tree, check } : null
}

/** The first red car whose predecessors are all green: what it adds is what broke. Behind it nothing is known. */
function findGuilty({ cars }: Train, resultOf: (tree: string) => TreeResult | null): number | null {
  for (const [index, { tree }] of cars.entries()) {
    const result = resultOf(tree)
    if (result?.state === 'failed') return index
    if (result?.state !== 'passed') return null
  }
  return null
}

/** What may have changed under its feet: it was green before. */
function landedSinceBoarding({ riders, landed }: TrainState, pull: number): number[] {
  const boardedAt = riders.find((rider) => rider.pull === pull)?.at
  return boardedAt === undefined ? [] : landed.filter(({ at }) => at >= boardedAt).map((one) => one.pull)
}

function judge(
  state: TrainState,
  { base, baseTree, cars }: Train,
  index: number,
  resultOf: (tree: string) => TreeResult | null,
): CarDecision {
  const { pull, headSha, commit, tree, resolved = [] } = cars[index]!
  const result = resultOf(tree)
  const check = result?.state === 'failed' ? result.check : ''
  const isSuspect = state.riders.some((rider) => rider.pull === pull && rider.suspect !== undefined)
  // Its second run is one at the end of the train, as it would land then; the others do not wait for it.
  if (!isSuspect) return only([{ type: 'rerun', pull, tree, check }])
  const ahead = [...landedSinceBoarding(state, pull), ...cars.slice(0, index).map((car) => car.pull)]
  const byRules = resolved.length > 0 ? resolved.join('; ') : undefined
  const leaves: TrainEventBody = { type: 'left', pull, headSha, why: 'red', check, commit, tree, ahead, byRules }
  // With green cars ahead the base is not to blame; and one that was to repair it has not.
  if (index > 0 || state.stopped) return only([leaves])
  const ofBase = resultOf(baseTree)
  if (ofBase === null) return { events: [], test: [{ commit: base, tree: baseTree }], land: null }
  if (ofBase.state === 'running') return only([])
  if (ofBase.state === 'passed') return only([leaves])
  if (!state.reruns.includes(chanceOf(baseTree, ofBase.check)))
    return only([{ type: 'rerun', pull: null, tree: baseTree, check: ofBase.check }])
  return only([{ type: 'stopped', base, tree: baseTree, check: ofBase.check }])
}
