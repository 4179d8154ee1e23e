// One question to the forge for all sessions of a project. What it does not answer stays unknown; nothing throws.
import type { ProjectConfig } from '../contract/config.ts'
import { errorText } from '../contract/errors.ts'
import type { Session } from '../contract/session.ts'
import { isOrchestrator } from '../core/plan-cleanup.ts'
import { scmOf } from '../manager/chosen-plugin.ts'
import type { PrReading, Scm } from '../slots/scm.ts'
import type { LoopContext } from './loop-context.ts'

export interface ForgeReading {
  scm: Scm | null
  readings: Map<string, PrReading>
}

export async function readForge(loop: LoopContext, project: ProjectConfig, sessions: Session[]): Promise<ForgeReading> {
  try {
    const scm = await scmOf(loop.manager, project)
    const asked = sessions.filter((session) => mayHavePr(session))
    if (!scm?.readPullRequests || asked.length === 0) return { scm, readings: new Map() }
    const queries = asked.map(({ id, branch, pr }) => ({ sessionId: id, branch, pr }))
    return { scm, readings: await scm.readPullRequests(queries, project) }
  } catch (error) {
    loop.manager.log.warn(`the forge of ${project.id} could not be read: ${errorText(error)}`)
    return { scm: null, readings: new Map() }
  }
}

function mayHavePr(session: Session): boolean {
  if (isOrchestrator(session.id, session.metadata.role ?? '')) return false
  if (session.status === 'merged') return false
  return session.pr !== null || (session.branch !== null && session.metadata.prAutoDetect !== 'off')
}
