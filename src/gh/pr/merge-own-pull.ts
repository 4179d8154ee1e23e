// Merging, however it was requested: as on a protected branch, an agent merges only what was approved and passed its
// checks, and only its own.

import { openMerging } from '../../cli/ao/pr/open-forge.ts'
import type { Io } from '../../cli/io.ts'
import type { MergeOptions } from '../../forge/merge/merge-pull.ts'
import { toPrInfo } from '../../forge/pulls/find-pull.ts'
import type { LocalPull } from '../../forge/pulls/pull-events.ts'
import { type MergeOutcome, mergePull } from '../../landing/merge.ts'
import { type Gh, requireOwnPull, workerSession } from '../open-gh.ts'

export async function mergeOwnPull(
  gh: Gh,
  pull: LocalPull,
  options: Omit<MergeOptions, 'needsApproval'>,
  io: Io,
): Promise<MergeOutcome> {
  requireOwnPull(io, pull, 'merge')
  const agent = workerSession(io)
  const rules = { needsApproval: agent !== null, force: options.force === true && agent === null }
  const { scm, project } = gh
  const { expected: head, ...how } = options
  const target = { scm, project, pr: toPrInfo(pull, project.id), head, sessionId: pull.session }
  return mergePull(await openMerging(io, gh), { ...target, ...how, ...rules, pastTrain: false })
}
