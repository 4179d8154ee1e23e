// The train of one project as data: the events in its file, and what they amount to. Pure.

/** A pull request aboard. */
export interface Rider {
  pull: number
  /** The head it boarded with: another one has to board again. */
  headSha: string
  /** `ao`, or the person who put it aboard. */
  by: string
  at: string
  /** How often one that boarded later landed first. */
  passedOver: number
  /** A check failed with it, and its second run decides; absent: none did. */
  suspect?: string | undefined
  /** Checks that failed with it and passed on their second run. */
  flaky?: string[] | undefined
  /** It repairs the base branch: it goes first, and rides although the base branch has stopped the train. */
  first?: boolean | undefined
  /** A person let it go first. `now`: also before cars that are green. */
  front?: 'next' | 'now' | undefined
  /** It stood on one that has landed, and adds to the base branch exactly what was approved: that approval holds. */
  carried?: boolean | undefined
}

/**
 * removed: by a person. moved: its head is another one. unready: approval or checks were lost. gone: closed, or landed and no
 * longer in the base branch (`said`). refused: the
 * forge does not merge it, or threw it out of its own queue. stranded: it is built on a car that will not land.
 */
export type LeaveReason = 'red' | 'conflict' | 'removed' | 'moved' | 'unready' | 'gone' | 'refused' | 'stranded'

/** What an agent is asked to rebase onto: a car that is about to land, or the base branch as it is. */
export interface Onto {
  commit: string
  /** What the car holds beyond the base branch, in order; empty: it is the base branch itself. */
  cars: Array<{ pull: number; headSha: string }>
}

export interface Left {
  pull: number
  headSha: string
  why: LeaveReason
  at: string
  /** red: the check that failed, the commit to reproduce it, and what came ahead of it since it boarded. */
  check?: string | undefined
  commit?: string | undefined
  tree?: string | undefined
  ahead?: number[] | undefined
  /** red: what the rules for conflicts did to it. */
  byRules?: string | undefined
  /** conflict: in these files, with this commit. stranded: `onto` has what will not land. */
  files?: string[] | undefined
  onto?: Onto | undefined
  /** conflict: pull requests whose lines are in it, and what both sides wrote; absent: nobody could tell. */
  partners?: number[] | undefined
  hunks?: Array<{ path: string; own: string; their: string }> | undefined
  /** conflict with a car ahead: how often it was overtaken. It keeps that when it boards again. */
  passedOver?: number | undefined
  /** refused: the forge's reason. unready: what is in its way, such as another base branch. conflict: why rules did not solve it. */
  said?: string | undefined
}

export const LEFT_WORDS: Readonly<Record<LeaveReason, string>> = {
  red: 'a check failed',
  conflict: 'it conflicts with the base branch',
  removed: 'it was removed',
  moved: 'its head moved',
  unready: 'it is no longer approved and green',
  gone: 'it was closed',
  refused: 'the forge does not merge it',
  stranded: 'it is built on what will not land',
}

export interface Landed {
  pull: number
  headSha: string
  commit: string
  at: string
  /** The base branch moved while the forge merged it: this is why its tree was never tested. */
  untested?: string | undefined
  /** Checks that passed only on their second run. */
  flaky?: string[] | undefined
}

export type TrainEventBody =
  /** `flaky`: checks that passed on its head only on their second run. */
  | { type: 'boarded'; pull: number; headSha: string; by: string; first?: boolean | undefined; flaky?: string[] }
  | ({ type: 'left' } & Omit<Left, 'at'>)
  | { type: 'landed'; pull: number; headSha: string; commit: string; untested?: string | undefined }
  /** What it stood on has landed: it is about to be for the base branch itself. */
  | { type: 'retargeted'; pull: number; headSha: string; carried: boolean }
  /** `until`: ISO 8601. */
  | { type: 'paused'; by: string; reason?: string | undefined; until?: string | undefined }
  /** `thawed`: until then no freeze window counts. */
  | { type: 'resumed'; by: string; thawed?: string | undefined }
  | { type: 'preferred'; pull: number; headSha: string; by: string; front: 'next' | 'now' }
  /** The base branch itself fails a check. */
  | { type: 'stopped'; base: string; tree: string; check: string }
  | { type: 'continued' }
  /** A failed check gets its one second chance: the next run counts. null: on the base branch itself. */
  | { type: 'rerun'; pull: number | null; tree: string; check: string }
  /** It passed the second time. */
  | { type: 'flaky'; pull: number; tree: string; check: string }

export type TrainEvent = TrainEventBody & { at: string }

export interface TrainState {
  paused: { by: string; at: string; reason?: string | undefined; until?: string | undefined } | null
  /** A person lifted the freeze until then. */
  thawed?: string | undefined
  stopped: { base: string; tree: string; check: string; at: string } | null
  /** In the order in which they boarded. */
  riders: Rider[]
  /** The last time each pull request left. */
  left: Left[]
  /** The last ones. */
  landed: Landed[]
  /** `tree check` of failed runs that got a second chance, and of second chances that passed. */
  reruns: string[]
  flaky: string[]
  /** Cars that agents were asked to build on. */
  offers: Onto[]
}

export const EMPTY_TRAIN: TrainState = {
  paused: null,
  stopped: null,
  riders: [],
  left: [],
  landed: [],
  reruns: [],
  flaky: [],
  offers: [],
}

const MOST_KEPT = 200
const MOST_OFFERS = 50

export function evolve(state: TrainState, event: TrainEvent): TrainState {
  const { at } = event
  switch (event.type) {
    case 'boarded': {
      const { pull, headSha, by, first, flaky } = event
      const others = state.riders.filter((rider) => rider.pull !== pull)
      const passedOver = state.left.find((left) => left.pull === pull)?.passedOver ?? 0
      return { ...state, riders: [...others, { pull, headSha, by, at, passedOver, first, ...(flaky && { flaky }) }] }
    }
    case 'left': {
      const { type, ...left } = event
      const riders = state.riders.filter((rider) => rider.pull !== left.pull)
      // The base branch was rewritten without it: nothing may count on it.
      const landed = left.why === 'gone' ? state.landed.filter(({ pull }) => pull !== left.pull) : state.landed
      return {
        ...state,
        riders,
        landed,
        left: [...state.left.filter(({ pull }) => pull !== left.pull), left].slice(-MOST_KEPT),
        offers: withOffer(state.offers, left),
      }
    }
    case 'landed':
      return evolveLanded(state, event)
    case 'retargeted': {
      const { pull, headSha, carried } = event
      const isMeant = (rider: Rider) => rider.pull === pull && rider.headSha === headSha
      return { ...state, riders: state.riders.map((rider) => (isMeant(rider) ? { ...rider, carried } : rider)) }
    }
    case 'paused':
      return { ...state, paused: { by: event.by, at, reason: event.reason, until: event.until } }
    case 'resumed': {
      const thawed = event.thawed ?? state.thawed
      return { ...state, paused: null, stopped: null, thawed, reruns: withAnotherRun(state) }
    }
    case 'preferred': {
      const { pull, headSha, front } = event
      const isMeant = (rider: Rider) => rider.pull === pull && rider.headSha === headSha
      return { ...state, riders: state.riders.map((rider) => (isMeant(rider) ? { ...rider, front } : rider)) }
    }
    case 'stopped':
      return { ...state, stopped: { base: event.base, tree: event.tree, check: event.check, at } }
    case 'continued':
      return { ...state, stopped: null }
    case 'rerun': {
      const reruns = [...state.reruns, chanceOf(event.tree, event.check)].slice(-MOST_KEPT)
      return { ...state, reruns, riders: withSuspect(state.riders, event.pull, event.check) }
    }
    case 'flaky': {
      const flaky = [...state.flaky, chanceOf(event.tree, event.check)].slice(-MOST_KEPT)
      return { ...state, flaky, riders: withFlaky(withSuspect(state.riders, event.pull, undefined), event) }
    }
  }
}

function withOffer(offers: Onto[], { why, onto }: Omit<Left, 'at'>): Onto[] {
  if (why !== 'conflict' || onto === undefined || onto.cars.length === 0) return offers
  return [...offers.filter(({ commit }) => commit !== onto.commit), onto].slice(-MOST_OFFERS)
}

function withSuspect(riders: Rider[], pull: number | null, suspect: string | undefined): Rider[] {
  return riders.map((rider) => (rider.pull === pull ? { ...rider, suspect } : rider))
}

function withFlaky(riders: Rider[], { pull, check }: { pull: number; check: string }): Rider[] {
  return riders.map((rider) =>
    rider.pull === pull ? { ...rider, flaky: [...new Set([...(rider.flaky ?? []), check])] } : rider,
  )
}

/** A failed check gets one second run before anybody leaves; in words. null: none failed. */
export function secondRunOf({ suspect }: Pick<Rider, 'suspect'>): string | null {
  return suspect === undefined ? null : `${suspect} failed, running once more`
}

/** A person says that the base branch is fine: its checks run once more. */
function withAnotherRun({ stopped, reruns }: TrainState): string[] {
  return stopped ? [...reruns, chanceOf(stopped.tree, 'resumed')].slice(-MOST_KEPT) : reruns
}

function evolveLanded(
  state: TrainState,
  { pull, headSha, commit, at, untested }: Extract<TrainEvent, { type: 'landed' }>,
): TrainState {
  const position = state.riders.findIndex((rider) => rider.pull === pull)
  const flaky = state.riders[position]?.flaky
  const riders = state.riders
    .map((rider, index) => (index < position ? { ...rider, passedOver: rider.passedOver + 1 } : rider))
    .filter((rider) => rider.pull !== pull)
  return {
    ...state,
    riders,
    left: state.left.filter((left) => left.pull !== pull),
    landed: [...state.landed, { pull, headSha, commit, at, untested, ...(flaky && { flaky }) }].slice(-MOST_KEPT),
  }
}

export function chanceOf(tree: string, check: string): string {
  return `${tree} ${check}`
}

/** How the second runs of a check on cars ended. */
export function secondRunsOf({ reruns, flaky }: TrainState, check: string): Array<'passed' | 'failed'> {
  const own = reruns.filter((chance) => chance.slice(chance.indexOf(' ') + 1) === check)
  return own.map((chance) => (flaky.includes(chance) ? 'passed' : 'failed'))
}

/** The n-th run of the checks on this tree counts: every second chance is a run of its own. */
export function attemptOf({ reruns }: TrainState, tree: string): number {
  return 1 + reruns.filter((chance) => chance.startsWith(`${tree} `)).length
}
