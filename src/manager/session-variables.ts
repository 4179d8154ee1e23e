// The words of one session, for its agent's environment and its hooks.
import type { OrchestratorConfig, ProjectConfig } from '../contract/config.ts'
import { type PortBlock, sessionVariables } from '../core/session/session-variables.ts'
import { ignoreFailure } from '../lib/ignore-failure.ts'
import { takePorts } from '../store/session-ports.ts'
import type { ManagerContext } from './context.ts'

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
