// Step 3 of spawn: an id of its own, with the whole intent written down before anything else exists.
import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import type { ProjectConfig } from '../../contract/config.ts'
import { AoError } from '../../contract/errors.ts'
import type { RecordChange } from '../../contract/record.ts'
import type { Role } from '../../core/session/resolve-launch.ts'
import type { Workspace } from '../../slots/workspace.ts'
import type { SessionStore } from '../../store/session/session-store.ts'
import type { ManagerContext } from '../context.ts'
import { operationKeys } from '../operation.ts'
import { type LaunchParts, runtimeName } from './launch.ts'

export interface Reservation {
  sessionId: string
  branch: string
  workspacePath: string
  spawnId: string
}

export interface ReservationRequest {
  project: ProjectConfig
  store: SessionStore
  parts: LaunchParts
  workspace: Workspace
  issueId: string | null
  /** For people who look at the session later, when the tracker is not asked. */
  issueTitle: string | null
  userPrompt: string | null
  branchFor(sessionId: string): string
}

const MAX_TRIES = 10_000

export async function reserveSession(context: ManagerContext, request: ReservationRequest): Promise<Reservation> {
  const { project, store, workspace } = request
  store.ensure()
  let number = store.nextNumber(project.sessionPrefix)
  for (let tries = 0; tries < MAX_TRIES; tries++, number++) {
    const sessionId = `${project.sessionPrefix}-${number}`
    const workspacePath = workspace.pathFor({ projectId: project.id, sessionId })
    // The path carries no hash: another checkout with the same project id may already use this number.
    if (existsSync(workspacePath)) continue
    const branch = request.branchFor(sessionId)
    const spawnId = randomUUID()
    const branchIsNew = !(await workspace.hasBranch?.(project, branch))
    const record: RecordChange = {
      project: project.id,
      ...newRecord(context, { ...request, sessionId, spawnId, role: 'worker' }),
      issueTitle: request.issueTitle,
      branch,
      worktree: workspacePath,
      workspace: workspace.name,
      ...operationKeys('spawn', { branchIsNew: String(branchIsNew) }),
    }
    const reserved = await store.reserve(sessionId, record, {
      type: 'session.reserved',
      project: project.id,
      agent: request.parts.agent.name,
      branch,
      issue: request.issueId,
      role: 'worker',
    })
    if (reserved) return { sessionId, branch, workspacePath, spawnId }
  }
  throw new AoError('INTERNAL', `No free session number was found for prefix ${project.sessionPrefix}`)
}

/** What every new session's record says, whatever its role. */
export function newRecord(
  context: ManagerContext,
  about: {
    sessionId: string
    spawnId: string
    role: Role
    parts: LaunchParts
    issueId: string | null
    userPrompt: string | null
  },
): RecordChange {
  return {
    status: 'spawning',
    role: about.role,
    agent: about.parts.agent.name,
    runtime: about.parts.runtime.name,
    tmuxName: runtimeName(context, about.sessionId),
    createdAt: context.clock.now(),
    spawnId: about.spawnId,
    launch: 1,
    ...portKeys(context),
    // Turned to yes once the agent's records show it: a crash in between must not look like a delivered prompt.
    promptDelivered: 'no',
    issue: about.issueId,
    userPrompt: about.userPrompt,
  }
}

/** The page and both kinds of terminal sockets are served on one port. 0 means that nobody knows it yet. */
function portKeys({ config, dashboardPort }: ManagerContext): RecordChange {
  const port = dashboardPort() ?? config.port
  return port === 0 ? {} : { dashboardPort: port, terminalWsPort: port, directTerminalWsPort: port }
}
