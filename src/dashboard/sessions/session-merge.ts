// Merges the pull request of a session: exactly the head that the person saw.
import { AoError } from '../../contract/errors.ts'
import { ignoreFailure } from '../../lib/ignore-failure.ts'
import { scmOf } from '../../manager/chosen-plugin.ts'
import { requireProject } from '../../manager/context.ts'
import { notePullStatus } from '../../store/session/note-pull-status.ts'
import type { DashboardContext } from '../server/context.ts'
import { requireActiveSession, requirePull } from './find-session.ts'

export async function mergeSession(
  place: DashboardContext,
  sessionId: string,
  sha: string,
): Promise<{ commit: string | null }> {
  const session = await requireActiveSession(place, sessionId)
  const pr = requirePull(session)
  const project = requireProject(place, session.projectId)
  const scm = await scmOf(place, project)
  if (!scm?.mergePR) {
    throw new AoError('SCM_FAILED', `The forge of project ${project.id} cannot merge from here`, {
      hint: `Merge it there: ${pr.url}`,
    })
  }
  const { commit } = await scm.mergePR(pr, { sha }, project)
  await ignoreFailure('the loop finds it out by itself', place.log, () =>
    notePullStatus(place.store(project.id), { sessionId, url: pr.url, status: 'merged' }),
  )
  place.loop?.askForge(project.id)
  place.board.touch(sessionId)
  return { commit }
}
