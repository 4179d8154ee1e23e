// Merging, however it was requested: as on a protected branch, an agent merges only what was approved and passed its
// checks, and only its own.

import { noteSession } from '../../cli/ao/pr/note-session.ts'
import type { Io } from '../../cli/io.ts'
import type { MergeOptions } from '../../forge/merge/merge-pull.ts'
import type { LocalPull } from '../../forge/pulls/pull-events.ts'
import { type MergeOutcome, mergeOrBoard } from '../../landing/train/merge-or-board.ts'
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
  const result = await mergeOrBoard(gh.forge, pull.number, { ...options, ...rules, pastTrain: false })
  if (result.kind === 'boarded') return result
  const { session: sessionId, url } = pull
  if (sessionId !== null)
    await noteSession(io, gh.config, { projectId: gh.project.id, sessionId, url, status: 'merged' })
  return result
}
