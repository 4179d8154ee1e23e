// Merging where a project has a train: what is asked for boards it, so that nothing gets into the base branch that was not
// tested as it lands. Merging past the train is a person's explicit word, and recorded with the merge.
import { AoError } from '../../contract/errors.ts'
import { type MergeOptions, type MergeResult, mergeObstacle, mergePull } from '../../forge/merge/merge-pull.ts'
import { projectDirectory } from '../../forge/project-directory.ts'
import { localAuthor, sessionOf } from '../../forge/pulls/local-author.ts'
import { observePull, type PullView } from '../../forge/pulls/observe-pulls.ts'
import { pullNotFound } from '../../forge/pulls/pull-store.ts'
import type { LocalForge } from '../../forge/types.ts'
import { systemClock } from '../../lib/clock.ts'
import { boardingObstacle } from './boarding.ts'
import { openTrainFile } from './train-file.ts'

export type MergeOutcome = ({ kind: 'merged' } & MergeResult) | { kind: 'boarded'; headSha: string }

export async function mergeOrBoard(
  forge: LocalForge,
  number: number,
  options: MergeOptions = {},
): Promise<MergeOutcome> {
  const pull = forge.pulls.read(number)
  if (pull === null) throw pullNotFound(number)
  if (options.pastTrain || !ridesTrain(forge, pull))
    return { kind: 'merged', ...(await mergePull(forge, number, options)) }
  const { headSha } = await boardPull(forge, await observePull(forge, pull), options)
  return { kind: 'boarded', headSha }
}

export function ridesTrain({ project }: LocalForge, { base }: { base: string }): boolean {
  return project.landing?.mode === 'train' && base === project.defaultBranch
}

/** Durable when it resolves. One that is aboard with this head keeps its place. */
export async function boardPull(
  forge: LocalForge,
  view: PullView,
  { expected, needsApproval }: Pick<MergeOptions, 'expected' | 'needsApproval'> = {},
): Promise<{ headSha: string }> {
  const { headSha, state, pull } = view
  const { number } = pull
  const why =
    state === 'open'
      ? (mergeObstacle(view, { expected, needsApproval, force: true })?.why ?? boardingObstacle(forge, view))
      : `it is ${state}`
  if (why !== null) throw new AoError('PR_NOT_MERGEABLE', `Pull request ${number} cannot board: ${why}`)
  const { env } = forge.context
  const projectDir = projectDirectory(forge.context, forge.project.id)
  const file = openTrainFile({ projectDir, clock: systemClock })
  const rider = file.read().riders.find((one) => one.pull === number && one.headSha === headSha)
  // A session's word is not a person's: it rides only as long as it is approved and green.
  const by = sessionOf(env) === null ? localAuthor(env) : 'ao'
  if (!rider) await file.append({ type: 'boarded', pull: number, headSha, by })
  return { headSha }
}
