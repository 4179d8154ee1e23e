// One query to the forge for all sessions of a project. What it does not answer stays unknown; nothing throws.

import type { ProjectConfig } from '../../contract/config.ts'
import { errorText } from '../../contract/errors.ts'
import type { HandIn } from '../../contract/forges.ts'
import { recordOf } from '../../contract/record.ts'
import type { Session } from '../../contract/session.ts'
import { ANY_FORGE, handInOf } from '../../core/prompt/hand-in.ts'
import { isOrchestrator } from '../../core/session/plan-cleanup.ts'
import { isMergeConfirmed } from '../../core/status/recorded-facts.ts'
import { readHeadBranch } from '../../git/read-head.ts'
import { scmOf } from '../../manager/context.ts'
import { addGates, gatesOf } from '../../manager/observe/gates.ts'
import type { PrReading, Scm } from '../../slots/scm.ts'
import { forgeSurface } from '../loop/forge-notices.ts'
import type { LoopContext } from '../loop/loop-context.ts'
import { openRequests } from './open-requests.ts'

export interface ForgeReading {
  scm: Scm | null
  readings: Map<string, PrReading>
  /** How agents hand in their work there. */
  handIn: HandIn
}

export async function readForge(loop: LoopContext, project: ProjectConfig, sessions: Session[]): Promise<ForgeReading> {
  let handIn = ANY_FORGE
  try {
    const scm = await scmOf(loop.context, project)
    handIn = handInOf(scm)
    const due = sessions.filter((session) => mayHavePr(session))
    if (!scm?.readPullRequests || due.length === 0) return { scm, readings: new Map(), handIn }
    const queries = due.map((one) => ({ sessionId: one.id, branch: currentBranch(one, project), pr: one.pr }))
    const readings = await scm.readPullRequests(queries, project)
    await openRequests({ loop, project, scm, sessions: due, queries }, readings)
    noteHealth(loop, project, readings)
    await addGates(gatesOf(loop.context, project, scm), readings)
    return { scm, readings, handIn }
  } catch (error) {
    loop.health(forgeSurface(project.id), 'error', errorText(error))
    return { scm: null, readings: new Map(), handIn }
  }
}

function noteHealth(loop: LoopContext, project: ProjectConfig, readings: Map<string, PrReading>): void {
  const unknown = [...readings.values()].find((one) => one.kind === 'unknown')
  const why = unknown?.kind === 'unknown' ? unknown.why : undefined
  loop.health(forgeSurface(project.id), unknown ? 'warn' : 'ok', why)
}

/** The branch its workspace is on, which the agent may have renamed; the recorded one if that is unknown. */
function currentBranch(session: Session, project: ProjectConfig): string | null {
  const head = session.workspacePath === null ? null : readHeadBranch(session.workspacePath)
  return head === null || head === project.defaultBranch ? session.branch : head
}

function mayHavePr(session: Session): boolean {
  if (isOrchestrator(session.id, recordOf(session).role ?? '')) return false
  if (isMergeConfirmed(recordOf(session))) return false
  return session.pr !== null || (session.branch !== null && recordOf(session).prAutoDetect !== 'off')
}
