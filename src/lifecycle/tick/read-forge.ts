// One query to the forge for all sessions of a project. What it does not answer stays unknown; nothing throws.
import type { ProjectConfig } from '../../contract/config.ts'
import { errorText } from '../../contract/errors.ts'
import { ANY_FORGE, forgeSurface, type HandIn, handInOf } from '../../contract/forges.ts'
import { isOrchestrator, pullRef } from '../../contract/ids.ts'
import { recordOf } from '../../contract/record.ts'
import type { Session } from '../../contract/session.ts'
import { isMergeConfirmed, pullUrls, recordedPulls } from '../../core/status/recorded-facts.ts'
import { readHead } from '../../git/git-dir.ts'
import type { ProjectGates } from '../../landing/checks/project-gates.ts'
import { projectSessions } from '../../manager/active.ts'
import { addGates, gatesOf } from '../../manager/observe/gates.ts'
import type { PrQuery, PrReading, Scm } from '../../slots/scm.ts'
import type { LoopContext } from '../loop/loop-context.ts'
import { openRequests } from './open-requests.ts'

export interface ForgeReading {
  scm: Scm | null
  readings: Map<string, PrReading>
  /** How agents hand in their work there. */
  handIn: HandIn
  /** Its gates, where the forge does not run them itself. */
  gates: ProjectGates | null
}

/** `chosen`: the project's forge, if it can be used. */
export async function readForge(
  loop: LoopContext,
  project: ProjectConfig,
  chosen: Promise<Scm | null>,
  sessions: Session[],
): Promise<ForgeReading> {
  const none = { readings: new Map(), gates: null }
  let handIn = ANY_FORGE
  try {
    const scm = await chosen
    handIn = handInOf(scm)
    const queries = sessions.flatMap((one) => queriesFor(one, project))
    if (!scm?.readPullRequests || queries.length === 0) return { scm, handIn, ...none }
    const readings = await scm.readPullRequests(queries, project)
    if (scm.openPR) await openRequests({ loop, project, scm, sessions, queries }, readings)
    noteHealth(loop, project, readings)
    const gates = scm.runsGates ? null : gatesOf(loop.context, project, scm)
    if (gates) await addGates(gates, readings)
    return { scm, readings: bySession(loop, project, sessions, readings), handIn, gates }
  } catch (error) {
    loop.health(forgeSurface(project.id), 'error', errorText(error))
    return { scm: null, handIn, ...none }
  }
}

function noteHealth(loop: LoopContext, project: ProjectConfig, readings: Map<string, PrReading>): void {
  // A further one that cannot be read may be none at all: sessions name them.
  const unknown = [...readings].find(([key, one]) => one.kind === 'unknown' && !key.includes(' '))?.[1]
  const why = unknown?.kind === 'unknown' ? unknown.why : undefined
  loop.health(forgeSurface(project.id), unknown ? 'warn' : 'ok', why)
}

/** The branch its workspace is on, which the agent may have renamed; the recorded one if that is unknown. */
function currentBranch(session: Session, project: ProjectConfig): string | null {
  const head = session.workspacePath === null ? null : readHead(session.workspacePath).branch
  const isBase = head === project.defaultBranch || head === recordOf(session).baseBranch
  return head === null || isBase ? session.branch : head
}

/** For its pull request, for the others that are not merged, and for one that it may have opened from another branch since. */
function queriesFor(session: Session, project: ProjectConfig): PrQuery[] {
  const { id: sessionId, pr } = session
  const record = recordOf(session)
  if (isOrchestrator(sessionId, record.role ?? '')) return []
  const branch = currentBranch(session, project)
  const isFound = record.prAutoDetect !== 'off'
  if (pr === null) return session.branch !== null && isFound ? [{ sessionId, branch, pr }] : []
  const another = { sessionId: `${sessionId} branch`, branch, pr: null }
  const others = isFound && isElsewhere(session, branch) ? [another] : []
  if (isMergeConfirmed(record)) return others
  const merged = recordedPulls(record).filter(({ state }) => state === 'merged')
  const further = pullUrls(record).filter((url) => url !== pr.url && !merged.some((one) => one.url === url))
  return [
    { sessionId, branch, pr },
    ...further.map((url) => ({ sessionId: `${sessionId} ${url}`, branch: null, pr: pullRef(url) })),
    ...others,
  ]
}

/** It works on a branch that none of its pull requests is of. */
function isElsewhere(session: Session, branch: string | null): boolean {
  const branches = recordedPulls(recordOf(session)).map((one) => one.branch)
  return branch !== null && branches.length > 0 && !branches.some((one) => one === undefined || one === branch)
}

/** Merged or not: whether the branch of its agent has a pull request is still unknown. */
export function mayOpenAnother(session: Session, project: ProjectConfig): boolean {
  return session.workspacePath !== null && isElsewhere(session, currentBranch(session, project))
}

/** All of a session together; what its own record does not name and another session's does is that one's. */
function bySession(
  loop: LoopContext,
  project: ProjectConfig,
  sessions: readonly Session[],
  readings: ReadonlyMap<string, PrReading>,
): Map<string, PrReading> {
  const parts = Map.groupBy(readings, ([key]) => key.split(' ')[0]!)
  const ownerOf = new Map<string, string>()
  const isLone = [...readings].every(([key, one]) => !key.includes(' ') && (one.kind !== 'read' || !one.others))
  const all = isLone ? [] : projectSessions(loop.context, project.id)
  for (const { id, metadata } of all) for (const url of pullUrls(recordOf({ metadata }))) ownerOf.set(url, id)
  return new Map(
    sessions.flatMap(({ id, metadata }): Array<[string, PrReading]> => {
      const own = parts.get(id)?.map(([, reading]) => reading) ?? []
      const main = readings.get(id)
      if (own.length === 0 || main?.kind === 'unknown') return main ? [[id, main]] : []
      const named = pullUrls(recordOf({ metadata }))
      const read = own.flatMap((one) => (one.kind === 'read' ? [one.snapshot, ...(one.others ?? [])] : []))
      const mine = read.filter(({ pr }) => named.includes(pr.url) || (ownerOf.get(pr.url) ?? id) === id)
      const [snapshot, ...others] = new Map(mine.map((pull) => [pull.pr.url, pull])).values()
      return [[id, snapshot ? { kind: 'read', snapshot, others } : { kind: 'none' }]]
    }),
  )
}
