// What a train on a forge elsewhere sees: the base branch of the remote, pull requests of sessions and of riders.
import type { Pull } from '../../contract/pull.ts'
import type { Below, PastRider } from '../../core/landing/decide-train.ts'
import { flakyOf } from '../../core/landing/judge-checks.ts'
import { boardingProblem, isHeadApproved } from '../../core/landing/merge-problem.ts'
import type { Onto, Rider, TrainState } from '../../core/landing/train-state.ts'
import { gitOn } from '../../git/repository.ts'
import type { PrQuery, PrReading } from '../../slots/scm.ts'
import { offersUnder, treeOf } from '../train/build-cars.ts'
import { isWithin, type TrainView } from '../train/step-train.ts'
import type { HostedTrain } from './hosted-train.ts'
import type { LandingIntent } from './ledger.ts'
import { contains, ensureCommit, readRemote } from './remote-branches.ts'

export interface HostedView extends TrainView {
  snapshots: Map<number, Pull>
}

/** null: the base branch cannot be had. */
export async function observeHosted(train: HostedTrain, state: TrainState): Promise<HostedView | null> {
  const { project, remote, ledger, collide } = train
  const branch = project.defaultBranch
  const { base } = await readRemote(remote, branch)
  if (base === null || !(await ensureCommit(remote, base, branch))) return null
  const snapshots = await readSnapshots(train, state)
  notePulls(train, snapshots)
  const ofSessions = new Set(train.candidates().flatMap(({ pr }) => pr?.number ?? []))
  const pulls: TrainView['pulls'] = []
  const past: PastRider[] = []
  for (const snapshot of snapshots.values()) {
    const { number } = snapshot.pr
    const isOpen = snapshot.state === 'open' && !(await isInside(train, snapshot, base))
    if (isOpen) {
      if (await ensureCommit(remote, snapshot.headSha, snapshot.pr.branch)) {
        const builtOn = await builtOnOf(train, state.offers, { head: snapshot.headSha, base })
        const below = await belowOf(train, state, { snapshot, snapshots })
        const rider = state.riders.find((one) => one.pull === number && one.headSha === snapshot.headSha)
        pulls.push({ ...toFact(train, snapshot, { below, rider }), builtOn, hasAgent: ofSessions.has(number) })
      }
    } else if (state.riders.some(({ pull }) => pull === number)) past.push(await pastOf(train, snapshot, base))
  }
  const { landing } = ledger.read()
  // Announced, and it did not happen: a process died before it.
  if (landing && pulls.some(({ number }) => number === landing.pull)) ledger.change({ landing: null })
  return { base, pulls, past, collide, isRecent: isWithin(train.repairMs, train.clock.now().getTime()), snapshots }
}

/** Commits never change: each is asked once. */
function builtOnOf(
  { remote, memory: { cars } }: HostedTrain,
  offers: readonly Onto[],
  { head, base }: { head: string; base: string },
): Promise<string[]> {
  const ask = async (newer: string, older: string) => {
    const isAncestor = cars.ancestors.get(`${older} ${newer}`) ?? (await contains(remote, newer, older))
    if (cars.ancestors.size >= MOST_ANCESTORS) cars.ancestors.clear()
    cars.ancestors.set(`${older} ${newer}`, isAncestor)
    return isAncestor
  }
  return offersUnder(offers, { head, base, contains: ask })
}

const MOST_ANCESTORS = 5_000

/** The pull request of another session whose branch this one is for, on its way or landed by this train. */
async function belowOf(
  { project, remote, ledger }: HostedTrain,
  { landed }: TrainState,
  { snapshot, snapshots }: { snapshot: Pull; snapshots: ReadonlyMap<number, Pull> },
): Promise<Below | undefined> {
  const { number, baseBranch } = snapshot.pr
  if (baseBranch === undefined || baseBranch === project.defaultBranch) return undefined
  const past = landed.findLast(({ pull }) => {
    return ledger.read().pulls.some((one) => one.number === pull && one.branch === baseBranch)
  })
  const open = [...snapshots.values()].find((one) => one.pr.branch === baseBranch && one.state === 'open')
  const lower = past ? { pull: past.pull, headSha: past.headSha } : open && { ...open, pull: open.pr.number }
  if (lower === undefined || lower.pull === number) return undefined
  const isHeld = await contains(remote, snapshot.headSha, lower.headSha)
  return { pull: lower.pull, isLanded: past !== undefined, isHeld }
}

/** Pushed to the base branch by the train, and the forge has not noticed yet. Only what the train announced counts. */
async function isInside({ remote, ledger }: HostedTrain, { pr, headSha }: Pull, base: string): Promise<boolean> {
  const { landing } = ledger.read()
  if (landing?.pull !== pr.number || landing.headSha !== headSha) return false
  return landing.commit !== landing.base && contains(remote, base, landing.commit)
}

async function readSnapshots(train: HostedTrain, { riders }: TrainState): Promise<Map<number, Pull>> {
  const { scm, project, candidates, readPulls } = train
  const queries = candidates()
  const queried = new Set(queries.flatMap(({ pr }) => pr?.number ?? []))
  for (const { pull } of riders.filter((rider) => !queried.has(rider.pull))) {
    queries.push({ sessionId: `pull ${pull}`, branch: null, pr: await scm.resolvePR(String(pull), project) })
  }
  const readings = queries.length === 0 ? new Map<string, PrReading>() : await readPulls(queries)
  return new Map(
    [...readings.values()].flatMap(
      (one): Array<[number, Pull]> => (one.kind === 'read' ? [[one.snapshot.pr.number, one.snapshot]] : []),
    ),
  )
}

function notePulls({ ledger, candidates }: HostedTrain, snapshots: ReadonlyMap<number, Pull>): void {
  const sessions = new Map(candidates().map((query: PrQuery) => [query.pr?.number, query.sessionId.split(' ')[0]]))
  const before = ledger.read().pulls
  const seen = [...snapshots.values()].map(({ pr }) => {
    const { number, title = '', url, branch } = pr
    return { number, title, url, branch, session: sessions.get(number) ?? null }
  })
  const others = before.filter(({ number }) => !snapshots.has(number))
  const after = [...others, ...seen].slice(-MOST_SEEN)
  if (JSON.stringify(after) !== JSON.stringify(before)) ledger.change({ pulls: after })
}

const MOST_SEEN = 200

interface Riding {
  below?: Below | undefined
  rider?: Rider | undefined
}

export function toFact(
  { project, held }: Pick<HostedTrain, 'project' | 'held'>,
  snapshot: Pull,
  { below, rider }: Riding,
): TrainView['pulls'][number] {
  const { pr, headSha, review, reviews, ci, hasConflicts, labels = [] } = snapshot
  const base = below ? (pr.baseBranch ?? project.defaultBranch) : project.defaultBranch
  const obstacle = boardingProblem(snapshot, base) ?? held?.(pr) ?? null
  const isGreen = ci === 'passing' || ci === 'none'
  const isApproved = review === 'approved' || (rider?.carried === true && isHeadApproved(reviews, headSha))
  const ready = obstacle === null && isApproved && isGreen
  const flaky = flakyOf(snapshot.checks)
  return { number: pr.number, headSha, ready, conflicts: hasConflicts === true, flaky, below, obstacle, labels }
}

async function pastOf(train: HostedTrain, snapshot: Pull, base: string): Promise<PastRider> {
  const { pr, headSha, state } = snapshot
  if (state === 'closed') return { number: pr.number, headSha, mergeCommit: null }
  const { landing } = train.ledger.read()
  if (landing?.pull !== pr.number) return { number: pr.number, headSha, mergeCommit: base }
  const commit = await findTested(train, landing, base)
  return { number: pr.number, headSha, mergeCommit: commit ?? base, untested: commit === null ? UNTESTED : undefined }
}

export const UNTESTED = 'the base branch moved while the forge merged it'

/** The commit with the tested tree among what the base branch got since the merge was announced; null: there is none. */
export async function findTested(
  { remote }: Pick<HostedTrain, 'remote'>,
  { base: before, tree }: LandingIntent,
  base: string,
): Promise<string | null> {
  const repository = () => remote.repository
  if (base === before) return (await treeOf({ repository }, base)) === tree ? base : null
  const args = ['log', '--first-parent', '--max-count=200', '--format=%H %T', `${before}..${base}`]
  const lines = (await gitOn(remote.repository, args, { read: true })).split('\n')
  // The oldest one: later ones may have the same tree again.
  return (
    lines
      .filter((line) => line.endsWith(` ${tree}`))
      .at(-1)
      ?.split(' ')[0] ?? null
  )
}
