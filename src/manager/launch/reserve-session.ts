// A unique id for a new session, with the whole intent recorded before anything else exists.
import { existsSync } from 'node:fs'
import type { ProjectConfig } from '../../contract/config.ts'
import { AoError } from '../../contract/errors.ts'
import type { RecordChange } from '../../contract/record.ts'
import type { LaunchPlan } from '../../core/session/plan-launch.ts'
import type { Workspace } from '../../slots/workspace.ts'
import type { SessionStore } from '../../store/session/session-store.ts'
import { type ManagerContext, runtimeName } from '../context.ts'
import { operationKeys } from '../operation.ts'

export interface Candidate {
  sessionId: string
  path: string
}

const MAX_TRIES = 10_000

/** Ids and workspace paths that seem free, in order; only a reservation makes one certain. */
export function* freeIds(project: ProjectConfig, store: SessionStore, workspace: Workspace): Generator<Candidate> {
  const first = store.nextNumber(project.sessionPrefix)
  for (let number = first; number < first + MAX_TRIES; number++) {
    const sessionId = `${project.sessionPrefix}-${number}`
    const path = workspace.pathFor({ projectId: project.id, sessionId })
    // The path contains no hash: another checkout with the same project id may already use this number.
    if (!existsSync(path)) yield { sessionId, path }
  }
  throw new AoError('INTERNAL', `No free session number was found for prefix ${project.sessionPrefix}`)
}

/** false: another process was faster. */
export function reserve(
  context: ManagerContext,
  store: SessionStore,
  plan: LaunchPlan,
  more: RecordChange,
): Promise<boolean> {
  const record: RecordChange = {
    project: plan.project,
    ...newRecord(context, plan),
    ...operationKeys('spawn'),
    ...more,
  }
  return store.reserve(plan.session, record, {
    type: 'session.reserved',
    project: plan.project,
    agent: plan.agent,
    branch: plan.workspace.branch,
    issue: plan.issue,
    role: plan.role,
  })
}

/** What every new session's record says, whatever its role. */
function newRecord(context: ManagerContext, plan: LaunchPlan): RecordChange {
  return {
    role: plan.role,
    agent: plan.agent,
    runtime: plan.runtime,
    place: plan.place,
    tmuxName: runtimeName(context, plan.session),
    createdAt: context.clock.now(),
    spawnId: plan.spawnId,
    launch: plan.launch,
    ...portKeys(context),
    // Becomes yes once the agent's records show it: a crash in between must not look like a delivered prompt.
    promptDelivered: 'no',
    issue: plan.issue,
    branch: plan.workspace.branch,
    worktree: plan.workspace.path,
  }
}

/** The page and both kinds of terminal sockets are served on one port. 0 means that it is unknown yet. */
function portKeys({ config, dashboardPort }: ManagerContext): RecordChange {
  const port = dashboardPort() ?? config.port
  return port === 0 ? {} : { dashboardPort: port, terminalWsPort: port, directTerminalWsPort: port }
}
