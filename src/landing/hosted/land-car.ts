// Moves the base branch on a forge elsewhere to a tree that was tested. With `merge` and a branch that is not protected, the
// tested commit itself is pushed, and only onto the commit that it was built on. Everything else goes through the forge's own
// merge, which takes the expected head but no expected base: what the branch became is compared with the tested tree.

import { AoError, errorText } from '../../contract/errors.ts'
import type { Pull } from '../../contract/pull.ts'
import type { Car } from '../../core/landing/decide-train.ts'
import { haltOf } from '../../core/landing/timing/halt.ts'
import { failpoint } from '../../lib/failpoint.ts'
import { mergeHead, openGate } from '../merge.ts'
import { treeOf } from '../train/build-cars.ts'
import type { LandOutcome } from '../train/step-train.ts'
import type { HostedTrain } from './hosted-train.ts'
import type { LandingIntent } from './ledger.ts'
import { findTested, toFact, UNTESTED } from './observe-hosted.ts'
import { ensureCommit, pushBranch, readRemote } from './remote-branches.ts'
import { resultOf } from './test-cars.ts'

export async function landHosted(
  train: HostedTrain,
  { base, car, attempt, snapshot: cached }: { base: string; car: Car; attempt: number; snapshot: Pull | undefined },
): Promise<LandOutcome> {
  const { remote, file, ledger, clock, project } = train
  const repository = () => remote.repository
  const tree = await treeOf({ repository }, car.commit)
  if (tree !== car.tree || resultOf(train, tree, attempt)?.state !== 'passed' || cached === undefined) return MOVED
  const snapshot = await readAgain(train, cached)
  if (snapshot === null || snapshot.state !== 'open' || snapshot.headSha !== car.headSha) return MOVED
  const state = file.read()
  const { riders } = state
  const isHalted = haltOf(state, train.rule.freeze ?? [], clock.now().getTime()) !== null
  const rider = riders.find((one) => one.pull === car.pull && one.headSha === car.headSha)
  const { ready, obstacle } = toFact(train, snapshot, { rider })
  // Lost its approval a moment ago: the next step lets it leave.
  if (isHalted || !rider || obstacle !== null || (!ready && rider.by === 'ao')) return MOVED
  const { defaultBranch: branch } = project
  if ((await readRemote(remote, branch)).base !== base) return MOVED
  const { pull, headSha, commit } = car
  const judged = { repository: remote.repository, head: headSha, branch, base }
  // Judged for another change: the next step lets it leave until it was judged for this one.
  if (train.gates && (await openGate(train.gates, judged)) !== null) return MOVED
  const intent: LandingIntent = { pull, headSha, base, commit, tree, at: clock.now().toISOString() }
  ledger.change({ landing: intent })
  failpoint('train.landing.announced')
  const outcome = await move(train, intent, snapshot)
  if (outcome.kind !== 'landed') ledger.change({ landing: null })
  return outcome
}

const MOVED: LandOutcome = { kind: 'moved' }

/** The forge's word at this moment, not of the beginning of the ride. */
async function readAgain({ readPulls }: HostedTrain, { pr }: Pull): Promise<Pull | null> {
  const reading = (await readPulls([{ sessionId: 'landing', branch: null, pr }])).get('landing')
  return reading?.kind === 'read' ? reading.snapshot : null
}

/** The base branch becomes the very commit that was tested. */
export function pushesCars({ method, rules }: Pick<HostedTrain, 'method' | 'rules'>): boolean {
  return method === 'merge' && !rules.isProtected
}

async function move(train: HostedTrain, intent: LandingIntent, { pr }: Pull): Promise<LandOutcome> {
  const { remote, project } = train
  if (pushesCars(train) && intent.commit !== intent.base) {
    const { commit, base } = intent
    const pushed = await pushBranch(remote, project.defaultBranch, { to: commit, expected: base })
    failpoint('train.landing.done')
    if (pushed.kind === 'done') return { kind: 'landed', commit }
    if (pushed.kind === 'moved') return MOVED
    train.say(`the train: ${project.defaultBranch} takes no pushes (${pushed.why}); the forge is asked to merge`)
  }
  return mergeThere(train, intent, pr)
}

async function mergeThere(train: HostedTrain, intent: LandingIntent, pr: Pull['pr']): Promise<LandOutcome> {
  const { scm, project, method, remote } = train
  try {
    const { boarded = false } = await mergeHead(
      { scm, project, pr },
      { sha: intent.headSha, method },
      { env: remote.repository.env },
    )
    failpoint('train.landing.done')
    if (boarded)
      return { kind: 'blocked', why: `the forge has a queue of its own for ${project.defaultBranch} since just now` }
  } catch (error) {
    const outcome = refusal(error)
    if (outcome !== null) return outcome
    throw error
  }
  const { base } = await readRemote(remote, project.defaultBranch)
  if (base === null || !(await ensureCommit(remote, base, project.defaultBranch)))
    throw new AoError('GIT_FAILED', `#${intent.pull} was merged, but ${project.defaultBranch} could not be fetched`)
  const commit = await findTested(train, intent, base)
  return { kind: 'landed', commit: commit ?? base, untested: commit === null ? UNTESTED : undefined }
}

/** null: the forge has said nothing about this pull request, so the next ride tries again. */
function refusal(error: unknown): LandOutcome | null {
  const { refusal = null } = error instanceof AoError ? (error.details as { refusal?: string | null }) : {}
  if (refusal === null) return null
  const why = errorText(error)
  if (refusal === 'head_moved' || refusal === 'closed' || /base branch was modified/i.test(why)) return MOVED
  return { kind: 'refused', why }
}
