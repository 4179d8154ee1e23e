// What a new session gets of its own: a unique id with the whole intent recorded before anything else exists, its ports, and
// the variables about it for its agent and its hooks.
import { existsSync } from 'node:fs'
import type { OrchestratorConfig, ProjectConfig } from '../../contract/config.ts'
import { AoError } from '../../contract/errors.ts'
import type { RecordChange } from '../../contract/record.ts'
import type { LaunchPlan } from '../../core/session/plan-launch.ts'
import { type PortBlock, sessionVariables } from '../../core/session/session-variables.ts'
import { ignoreFailure } from '../../lib/ignore-failure.ts'
import type { Workspace } from '../../slots/workspace.ts'
import type { SessionStore } from '../../store/session/session-store.ts'
import { takePorts } from '../../store/session-ports.ts'
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

export interface VariablesRequest {
  project: ProjectConfig
  sessionId: string
  branch: string | null
  issue: string | null
  workspacePath: string
}

/** Without a record yet, as in a plan, the first ports of all stand for those that it will get. */
export function variablesOf(context: ManagerContext, request: VariablesRequest): Record<string, string> {
  const { project, sessionId, branch, issue, workspacePath } = request
  const wanted = portsOf(context.config)
  const stored = context.store(project.id).read(sessionId)
  const first = stored === null ? wanted.first : stored.record.firstPort
  return sessionVariables({
    sessionId,
    projectId: project.id,
    projectPath: project.path,
    workspacePath,
    branch,
    baseBranch: project.defaultBranch,
    issue,
    ports: first === undefined || wanted.count === 0 ? undefined : { first, count: wanted.count },
  })
}

/** Gives the session its ports before its agent starts; they stay the same when it is restored. undefined: it has none. */
export async function ensurePorts(
  context: ManagerContext,
  projectId: string,
  sessionId: string,
): Promise<PortBlock | undefined> {
  const store = context.store(projectId)
  const wanted = portsOf(context.config)
  const stored = store.read(sessionId)
  if (wanted.count === 0 || stored === null) return undefined
  const before = stored.record.firstPort
  let first = before
  const record = context.paths.project(projectId).sessionFile(sessionId)
  await ignoreFailure(`${sessionId} gets no ports`, context.log, async () => {
    const block = await takePorts(context.paths.home, { record, before, wanted, reserved: [context.config.port] })
    if (block === null) context.log.warn(`${sessionId} gets no ports: all from ${wanted.first} on are taken`)
    if (block === null || block.first === before) return
    await store.update(sessionId, { firstPort: block.first })
    first = block.first
  })
  return first === undefined ? undefined : { first, count: wanted.count }
}

/** Below the ports that the system gives away by itself (32768 and more). */
const DEFAULT_PORTS: PortBlock = { first: 21_000, count: 10 }

function portsOf({ sessionPorts }: OrchestratorConfig): PortBlock {
  return { first: sessionPorts?.first ?? DEFAULT_PORTS.first, count: sessionPorts?.count ?? DEFAULT_PORTS.count }
}
