// Merges the pull request of a session, exactly at the head that the person saw.
import { AoError } from '../../contract/errors.ts'
import { mergePull } from '../../landing/merge.ts'
import { scmOf } from '../chosen-plugin.ts'
import type { ManagerContext } from '../context.ts'
import { enrichOne } from '../observe/enrich.ts'
import { requireActive } from '../observe/find-session.ts'
import { mergeContext } from '../pulls/merge-context.ts'

export async function merge(
  context: ManagerContext,
  sessionId: string,
  sha: string,
): Promise<{ commit: string | null; boarded: boolean; projectId: string }> {
  const found = requireActive(context, sessionId)
  const { project } = found
  const { pr } = await enrichOne(context, found)
  if (pr === null) throw new AoError('PR_NOT_FOUND', `Session ${sessionId} has no pull request`)
  const scm = await scmOf(context, project)
  if (!scm?.mergePR) {
    throw new AoError('SCM_FAILED', `The forge of project ${project.id} cannot merge from here`, {
      hint: `Merge it there: ${pr.url}`,
    })
  }
  const order = { project, scm, pr, head: sha, sessionId }
  const { commit, boarded } = await mergePull(mergeContext(context, project, scm), order)
  return { commit, boarded, projectId: project.id }
}
