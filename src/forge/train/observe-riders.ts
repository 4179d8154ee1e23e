// What the train sees of its project's pull requests, each time before it decides.
import type { PastRider } from '../../core/landing/decide-train.ts'
import { flakyOf } from '../../core/landing/judge-checks.ts'
import { isHeadApproved } from '../../core/landing/merge-problem.ts'
import type { Rider, TrainState } from '../../core/landing/train-state.ts'
import { askConflicts, type CommitPair, hasConflicts, isAncestor } from '../../git/merge-memory.ts'
import { resolveRef } from '../../git/repository.ts'
import type { TrainRide } from '../../landing/own-train.ts'
import { offersUnder } from '../../landing/train/build-cars.ts'
import { isWithin, type TrainView } from '../../landing/train/step-train.ts'
import { settleMerge } from '../merge/settle-merge.ts'
import { observePulls } from '../pulls/observe-pulls.ts'
import type { LocalPull } from '../pulls/pull-events.ts'
import type { ObservedPull } from '../pulls/pull-view.ts'
import type { LocalForge } from '../types.ts'
import { boardingObstacle, pullBelow } from './boarding.ts'

interface RideRequest extends TrainRide {
  forge: LocalForge
}

/** Pull requests that may board or are aboard, on the base branch as it is now; null: there is no such branch. */
export async function observeRiders(options: RideRequest, state: TrainState): Promise<TrainView | null> {
  const { forge, collide } = options
  const branch = forge.project.defaultBranch
  const base = await resolveRef(forge.repository(), `refs/heads/${branch}`)
  if (base === null) return null
  const aboard = new Set(state.riders.map(({ pull }) => pull))
  const all = forge.pulls.list()
  // One that got another base while it was aboard is observed too: it has to leave.
  const open = all.filter(
    (pull) =>
      pull.state === 'open' &&
      (pull.base === branch || aboard.has(pull.number) || pullBelow(forge, all, pull) !== null),
  )
  const views = await observePulls(forge, open)
  // A process died after the base branch had moved: record and checkout follow.
  for (const { pr, state } of views) {
    if (state === 'merged' && aboard.has(pr.number))
      await forge.pulls.change(pr.number, (now, append) => settleMerge(forge, now, append))
  }
  const past = state.riders.flatMap((rider) => pastOf(forge, rider.pull, base) ?? [])
  const lost: number[] = []
  for (const { pull, commit } of state.landed.slice(-MOST_LANDED))
    if ((await isAncestor(forge.memory, forge.repository(), { head: commit, base })) === false) lost.push(pull)
  const doMeet = await findCollisions(forge, state, views)
  return {
    base,
    pulls: await Promise.all(
      views.filter(({ state }) => state === 'open').map((view) => toFact(options, view, { base, state, views, all })),
    ),
    past,
    lost,
    branch,
    collide: (a, b) => doMeet(a, b) || collide(a, b),
    isRecent: isWithin(options.repairMs, Date.now()),
  }
}

/** Whoever rewrites the base branch takes back the last ones. */
const MOST_LANDED = 20

/** null: it is open, or it cannot be read now. */
function pastOf(forge: LocalForge, number: number, base: string): PastRider | null {
  const pull = forge.pulls.read(number)
  if (pull === null || pull.state === 'open') return null
  // Merged into another branch, it has not landed here.
  const isHere = pull.state === 'merged' && pull.base === forge.project.defaultBranch
  const mergeCommit = isHere ? (pull.mergeCommit ?? base) : null
  return { number, headSha: pull.headSha, mergeCommit }
}

interface Beside {
  base: string
  state: TrainState
  views: readonly ObservedPull[]
  all: readonly LocalPull[]
}

async function toFact(
  { forge, held }: RideRequest,
  view: ObservedPull,
  { base, state, views, all }: Beside,
): Promise<TrainView['pulls'][number]> {
  const { pr, headSha, ci, hasConflicts, labels = [] } = view
  const contains = async (newer: string, older: string) =>
    (await isAncestor(forge.memory, forge.repository(), { head: older, base: newer })) === true
  const lower = pullBelow(forge, all, view.stored)
  const lowerHead = lower && (views.find((one) => one.pr.number === lower.number)?.headSha ?? lower.headSha)
  const below = lower && {
    pull: lower.number,
    isLanded: lower.state === 'merged',
    isHeld: lowerHead !== null && (await contains(headSha, lowerHead)),
  }
  const obstacle = boardingObstacle(forge, view, below ?? undefined) ?? held?.(pr) ?? null
  const rider = state.riders.find((one) => one.pull === pr.number && one.headSha === headSha)
  const ready = obstacle === null && isApproved(view, rider) && (ci === 'passing' || ci === 'none')
  const builtOn = await offersUnder(state.offers, { head: headSha, base, contains })
  const flaky = flakyOf(view.checks)
  const boarding = { conflicts: hasConflicts === true, hasAgent: view.stored.session !== null, flaky }
  return { number: pr.number, headSha, ready, ...boarding, builtOn, below: below ?? undefined, obstacle, labels }
}

/** For what it changes now, or for the same change before what it stood on landed. */
export function isApproved({ review, reviews, headSha }: ObservedPull, rider: Rider | undefined): boolean {
  return review === 'approved' || (rider?.carried === true && isHeadApproved(reviews, headSha))
}

// Which pull requests conflict with each other, by merging them for real: the radar may not have seen them yet, and sees heads
// that already hold what the base branch holds as in conflict with everything that conflicts with that.

/** Pairs grow with the square of it. */
const MOST_COMPARED = 24

/** Of those that are aboard, in conflict with the base branch or asked to rebase. */
async function findCollisions(
  forge: LocalForge,
  { riders, left }: TrainState,
  views: readonly ObservedPull[],
): Promise<(a: number, b: number) => boolean> {
  const requested = new Map(left.flatMap(({ pull, headSha, why }) => (why === 'conflict' ? [[pull, headSha]] : [])))
  const aboard = new Set(riders.map(({ pull }) => pull))
  const compared = views
    .filter(({ pr, hasConflicts }) => hasConflicts === true || aboard.has(pr.number) || requested.has(pr.number))
    .slice(0, MOST_COMPARED)
    // As it was when it was asked: what it was rebased onto is not its own.
    .map(({ pr, headSha }) => ({ number: pr.number, head: requested.get(pr.number) ?? headSha }))
  const pairs = compared.flatMap((one, index) =>
    compared.slice(index + 1).map((other) => ({ one, other, pair: { head: other.head, base: one.head } })),
  )
  const merges: CommitPair[] = pairs.map(({ pair }) => pair)
  await askConflicts(forge.memory, forge.repository(), merges)
  const found = new Set<string>()
  for (const { one, other, pair } of pairs)
    if ((await hasConflicts(forge.memory, forge.repository(), pair)) === true)
      found.add(`${one.number} ${other.number}`)
  return (a, b) => found.has(`${a} ${b}`) || found.has(`${b} ${a}`)
}
