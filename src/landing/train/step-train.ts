// One step of the train: observe, decide, write, act. Everything that touches the world is behind `TrainPorts`, so that the
// same code runs in the simulation. A process may die between any two lines: what was decided is derived again.
import {
  type Car,
  decideCars,
  decideLost,
  decideRiders,
  type PastRider,
  type RiderFacts,
  type Train,
  type TreeResult,
} from '../../core/landing/decide-train.ts'
import { keptOrder, type OrderRule, orderCars } from '../../core/landing/order-cars.ts'
import { decideAboard, decideAshore, type LineFacts, type Waiting } from '../../core/landing/repair-line.ts'
import { haltOf } from '../../core/landing/timing/halt.ts'
import { attemptOf, type Rider, type TrainEventBody, type TrainState } from '../../core/landing/train-state.ts'

export type TrainRule = OrderRule

export interface TrainView {
  base: string
  pulls: Array<RiderFacts & { labels: readonly string[] }>
  past: PastRider[]
  /** Pull requests that landed and are no longer in the base branch. */
  lost?: readonly number[] | undefined
  /** Its name, for people. */
  branch?: string | undefined
  collide(a: number, b: number): boolean
  isRecent: LineFacts['isRecent']
}

export const REPAIR_MS = 15 * 60_000

/** Was that at most this long ago? */
export function isWithin(repairMs: number = REPAIR_MS, now: number): LineFacts['isRecent'] {
  return (at) => now - Date.parse(at) < repairMs
}

/** refused: the forge does not merge this one, whatever is done about the others. */
export type LandOutcome =
  | { kind: 'landed'; commit: string; untested?: string | undefined }
  | { kind: 'moved' }
  | { kind: 'blocked' | 'refused'; why: string }

export interface TrainPorts {
  read(): TrainState
  /** Absent: pauses have no end, and nothing is frozen. */
  now?(): number
  append(event: TrainEventBody): Promise<unknown>
  /** null: there is no base branch. */
  observe(state: TrainState): Promise<TrainView | null>
  /** At most `batch` cars; a rider that does not fit behind those ahead waits, and so does one whose `on` is no car. */
  build(base: string, order: readonly StackedRider[], batch: number): Promise<Train>
  /** The cars as they were built last; none: nobody remembers. */
  built?(): readonly Car[]
  /** The event with what its agent has to know: whose changes it conflicts with, and where. */
  explain?(event: TrainEventBody): Promise<TrainEventBody>
  /** Who waits for whom, for reports only. */
  report?(waiting: readonly Waiting[]): void
  /** Would it add the same to `base` as to the head that it stood on? */
  isSameChange(base: string, rider: Rider, below: number): Promise<boolean>
  /** It is for the base branch from now on. Doing it again changes nothing. Resolves with why that cannot be; null: done. */
  retarget(pull: number): Promise<string | null>
  resultOf(tree: string, attempt: number): TreeResult | null
  /** Starts what is not running yet and ends what is no longer wanted. */
  test(
    wanted: ReadonlyArray<{ commit: string; tree: string; attempt: number }>,
    keep: ReadonlySet<string>,
  ): void | Promise<void>
  /** Moves the base branch from `base` to the car's commit, or nothing. */
  land(base: string, car: Car, attempt: number): Promise<LandOutcome>
}

/** `on`: the pull request that it stands on, if that is aboard. */
export type StackedRider = Rider & { on?: number | undefined }

/** again: something changed. waiting: checks are running. idle: nothing to do. blocked: a person has to act. */
export type StepOutcome = { kind: 'again' | 'waiting' | 'idle' } | { kind: 'blocked'; why: string }

export async function stepTrain(ports: TrainPorts, rule: TrainRule): Promise<StepOutcome> {
  const stored = ports.read()
  const halt = haltOf(stored, rule.freeze ?? [], ports.now?.())
  // A pause that has come to its end is none.
  const state = halt?.kind === 'paused' ? stored : { ...stored, paused: null }
  const view = await ports.observe(state)
  if (view === null) return { kind: 'idle' }
  if (await write(ports, decideLost(state, view))) return { kind: 'again' }
  if (await write(ports, decideRiders(state, view.pulls, view.past))) return { kind: 'again' }
  if (await settleGround(ports, state, view)) return { kind: 'again' }
  const ashore = decideAshore(state, view.base, view)
  if (await write(ports, ashore.events)) return { kind: 'again' }
  const facts = new Map(view.pulls.map((one) => [one.number, one]))
  const resultOf = (tree: string) => ports.resultOf(tree, attemptOf(state, tree))
  const below = (pull: number) => facts.get(pull)?.below?.pull ?? null
  const built = ports.built?.() ?? []
  const kept = (...results: unknown[]) => keptOrder(state, built, (tree) => results.includes(resultOf(tree)?.state))
  const order = orderCars(state.riders, rule, {
    labelsOf: (pull) => facts.get(pull)?.labels ?? [],
    collide: view.collide,
    offered: kept('passed'),
    tested: kept('passed', 'running'),
    below,
  }).map((rider): StackedRider => ({ ...rider, on: below(rider.pull) ?? undefined }))
  const mayRide = ({ first }: Rider) => state.paused === null && (state.stopped === null || first === true)
  const train = await ports.build(view.base, order.filter(mayRide), rule.batch)
  const aboard = decideAboard(state, train, view, resultOf)
  if (await write(ports, aboard.events)) return { kind: 'again' }
  ports.report?.([...ashore.waiting, ...aboard.waiting])
  const decision = decideCars(state, train, resultOf)
  if (await write(ports, decision.events)) return { kind: 'again' }
  const wanted = decision.test.map((one) => ({ ...one, attempt: attemptOf(state, one.tree) }))
  await ports.test(wanted, new Set([train.baseTree, ...train.cars.map(({ tree }) => tree)]))
  const isRunning = train.cars.some(({ tree }) => resultOf(tree)?.state !== 'passed')
  // Tested and ready: the next round asks again.
  if (halt !== null) return { kind: isRunning && halt.kind === 'frozen' ? 'waiting' : 'idle' }
  if (decision.land === null) return { kind: train.cars.length > 0 ? 'waiting' : 'idle' }
  const { pull, headSha, tree } = decision.land
  const outcome = await ports.land(train.base, decision.land, attemptOf(state, tree))
  if (outcome.kind === 'blocked') return { kind: 'blocked', why: outcome.why }
  if (outcome.kind === 'landed') {
    const { commit, untested } = outcome
    await ports.append({ type: 'landed', pull, headSha, commit, untested })
  }
  if (outcome.kind === 'refused') await ports.append({ type: 'left', pull, headSha, why: 'refused', said: outcome.why })
  return { kind: 'again' }
}

/** Riders whose ground has landed are for the base branch: written down with what that means for their approval, then done. */
async function settleGround(ports: TrainPorts, { riders }: TrainState, view: TrainView): Promise<boolean> {
  for (const rider of riders) {
    const { below } = view.pulls.find(({ number }) => number === rider.pull) ?? {}
    if (!below?.isLanded) continue
    const { pull, headSha } = rider
    const carried = below.isHeld && (await ports.isSameChange(view.base, rider, below.pull))
    await ports.append({ type: 'retargeted', pull, headSha, carried })
    const why = await ports.retarget(pull)
    if (why !== null) await ports.append({ type: 'left', pull, headSha, why: 'unready', said: why })
    return true
  }
  return false
}

async function write(ports: TrainPorts, events: readonly TrainEventBody[]): Promise<boolean> {
  for (const event of events) await ports.append((await ports.explain?.(event)) ?? event)
  return events.length > 0
}
