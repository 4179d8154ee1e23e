// Merges the pull request of a session, exactly at the head that the person saw.
import { AoError } from '../../contract/errors.ts'
import { ignoreFailure } from '../../lib/ignore-failure.ts'
import { notePullStatus } from '../../store/session/note-pull-status.ts'
import { scmOf } from '../chosen-plugin.ts'
import type { ManagerContext } from '../context.ts'
import { enrichOne } from '../observe/enrich.ts'
import { requireActive } from '../observe/find-session.ts'
import { mergeOrBoard } from './merge-or-board.ts'

export async function merge(
  context: ManagerContext,
  sessionId: string,
  sha: string,
): Promise<{ commit: string | null; boarded: boolean; projectId: string }> {
  const found = requireActive(context, sessionId)
  const { project, store } = found
  const { pr } = await enrichOne(context, found)
  if (pr === null) throw new AoError('PR_NOT_FOUND', `Session ${sessionId} has no pull request`)
  const scm = await scmOf(context, project)
  if (!scm?.mergePR) {
    throw new AoError('SCM_FAILED', `The forge of project ${project.id} cannot merge from here`, {
      hint: `Merge it there: ${pr.url}`,
    })
  }
  const { commit, boarded = false } = await mergeOrBoard(context, { project, scm, pr, expected: { sha } })
  if (boarded) return { commit, boarded, projectId: project.id }
  await ignoreFailure('the loop finds it out by itself', context.log, () =>
    notePullStatus(store, { sessionId, url: pr.url, status: 'merged' }),
  )
  return { commit, boarded, projectId: project.id }
}
