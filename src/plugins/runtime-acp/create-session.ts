// Starts an agent as an agh session, or resumes an ended one. A session that was started but not confirmed is ended.

import { agentState } from '../../agh/acp/agent-host.ts'
import { listSessionIds, readMeta } from '../../agh/store/meta-file.ts'
import type { SessionView } from '../../contract/agh/answers.ts'
import type { DriveAgainRequest, DriveRequest } from '../../contract/agh/driver.ts'
import type { SessionMeta } from '../../contract/agh/session-meta.ts'
import type { PermissionMode as AghPermissionMode } from '../../contract/agh/session-terms.ts'
import type { PermissionMode } from '../../contract/config.ts'
import { AoError, errorText } from '../../contract/errors.ts'
import { shownName } from '../../contract/ids.ts'
import type { RuntimeHandle } from '../../contract/session.ts'
import { withoutCallersTerminal } from '../../core/text/terminal-variables.ts'
import { currentProcess, formatIdentity } from '../../lib/process/process-identity.ts'
import { SPAWN_MARKER, stopProcesses } from '../../lib/process/process-tree.ts'
import type { RuntimeLaunch } from '../../slots/runtime.ts'
import { DRIVER, makeHandle, requireHandle } from './acp-handle.ts'
import type { DaemonLink } from './daemon-link.ts'
import { daemonIsGone } from './daemon-link.ts'

export async function startAcpSession(link: DaemonLink, launch: RuntimeLaunch): Promise<RuntimeHandle> {
  const { name, spawnId, workspacePath } = launch
  await link.ensure()
  try {
    const { session, whyNot } = await start(link, launch)
    const handle = makeHandle({ name, session: session.id, spawnId, workspacePath, home: link.paths.home })
    return whyNot === undefined ? handle : { ...handle, data: { ...handle.data, resumed: false, whyNot } }
  } catch (error) {
    if (error instanceof AoError && error.code !== 'DAEMON_NOT_RUNNING') throw explain(launch, error)
    // The daemon disappeared in the middle: nothing else ends what it may have started.
    await stopProcesses(spawnId, [], { graceMs: 0 })
    throw new AoError('RUNTIME_FAILED', `agh ended while it started ${name}: ${errorText(error)}`, { cause: error })
  }
}

interface Start {
  session: SessionView
  /** Why it did not begin with the conversation that was to be copied. */
  whyNot?: string
}

async function start(link: DaemonLink, launch: RuntimeLaunch): Promise<Start> {
  const again = launch.resumes && requireHandle(launch.resumes, link.paths.home).session
  if (again !== undefined) {
    return link.call('POST /api/driver/sessions/:id/resume', { params: { id: again }, body: launchRequest(launch) })
  }
  const body = newRequest(launch)
  if (!launch.forks) return link.call('POST /api/driver/sessions', { body })
  const fork_of = requireHandle(launch.forks, link.paths.home).session
  try {
    return await link.call('POST /api/driver/sessions', { body: { ...body, fork_of } })
  } catch (error) {
    if (!refusesFork(error)) throw error
    const { session } = await link.call('POST /api/driver/sessions', { body })
    return { session, whyNot: errorText(error).slice(0, MAX_WHY) }
  }
}

const MAX_WHY = 500

/** agh before it started anything, or the agent, which was ended then. Every other failure would come again. */
function refusesFork(error: unknown): boolean {
  if (!(error instanceof AoError)) return false
  const { method, failure } = error.details as { method?: unknown; failure?: { kind?: unknown } | null }
  return method === 'session/fork' || failure?.kind === 'load_session_failure'
}

function newRequest(launch: RuntimeLaunch): DriveRequest {
  return {
    ...launchRequest(launch),
    driver: DRIVER,
    key: launch.name,
    agent_name: launch.agentName ?? 'agent',
    workspace_path: launch.workspacePath,
    permissions: AGH_MODES[launch.permissions ?? 'default'],
    modes: [...(launch.modes ?? [])],
    mode: launch.mode,
    model: launch.model,
    additional_directories: launch.additionalDirectories,
  }
}

/** `suggest` asks for everything that agh ever asks a person for. */
const AGH_MODES: Readonly<Record<PermissionMode, AghPermissionMode>> = {
  skip: 'approve-all',
  'auto-edit': 'approve-edits',
  default: 'approve-reads',
  suggest: 'approve-reads',
}

function launchRequest(launch: RuntimeLaunch): DriveAgainRequest {
  const { [SPAWN_MARKER]: _marker, ...environment } = withoutCallersTerminal(launch.environment, launch.workspacePath)
  return {
    spawn_id: launch.spawnId,
    owner: formatIdentity(currentProcess()),
    command: launch.command,
    environment,
    far_workspace: launch.farWorkspace,
    host_directory: launch.hostDirectory,
    instructions: launch.instructions,
    mcp_servers: launch.mcpCommand && [mcpServer(launch.mcpCommand, environment)],
  }
}

/** Agents start such servers with an environment of their own; what ao's needs is passed along. */
function mcpServer(command: string[], environment: Record<string, string>) {
  const needed = Object.entries(environment).filter(([name]) => /^(AO_.*|PATH|HOME)$/.test(name))
  return { name: 'ao', command: command[0]!, args: command.slice(1), env: Object.fromEntries(needed) }
}

function explain(launch: RuntimeLaunch, error: AoError): AoError {
  const program = launch.command.find((word) => word !== process.execPath) ?? ''
  return new AoError(
    'RUNTIME_FAILED',
    `${shownName(launch.name)} could not be started (${program}): ${error.message}`,
    {
      hint: error.hint ?? 'See: agh session list --all',
      details: error.details,
      cause: error,
    },
  )
}

// Finds a session whose creator died before it recorded the handle, by its name and the marker of its start.

/** agh starts nothing for a dead creator, so what is not found now will never exist. */
export async function findAcpSession(
  link: DaemonLink,
  launch: { name: string; spawnId: string },
): Promise<RuntimeHandle | null> {
  const meta = await findMeta(link, launch.name)
  if (!meta || meta.driver?.spawn_id !== launch.spawnId) return null
  const { name, spawnId } = launch
  return makeHandle({ name, spawnId, session: meta.id, workspacePath: meta.workspace_path, home: link.paths.home })
}

async function findMeta(link: DaemonLink, name: string): Promise<SessionMeta | null> {
  try {
    return (await link.call('GET /api/driver/sessions', { query: { key: name } })).session
  } catch (error) {
    if (!daemonIsGone(link.paths)) throw error
    return findOnDisk(link, name)
  }
}

/** Of this driver's sessions whose agents outlived the daemon. */
export function namesOnDisk(link: DaemonLink, driver: string): string[] {
  return listSessionIds(link.paths).flatMap((id) => {
    const meta = readIfWhole(link, id)
    if (meta?.driver?.name !== driver || meta.state === 'stopped') return []
    return agentState(meta) === 'dead' ? [] : [meta.driver.key]
  })
}

/** Left by a killed daemon: its processes may still have to be ended. */
function findOnDisk(link: DaemonLink, name: string): SessionMeta | null {
  for (const id of listSessionIds(link.paths)) {
    const meta = readIfWhole(link, id)
    if (meta?.driver?.key === name && meta.state !== 'stopped') return meta
  }
  return null
}

function readIfWhole(link: DaemonLink, id: string): SessionMeta | null {
  try {
    return readMeta(link.paths, id)
  } catch (error) {
    // An incomplete session, whose creator died before its first file was written.
    if (error instanceof AoError) return null
    throw error
  }
}
