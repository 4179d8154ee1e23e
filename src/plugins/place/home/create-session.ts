// Starts a session in a place: the place, the host, the workspace, the agent, and the line that stays. When one of them
// fails, the place is given back.
import { mkdirSync } from 'node:fs'
import { AoError, errorText } from '../../../contract/errors.ts'
import type { RuntimeHandle } from '../../../contract/session.ts'
import { modelHosts } from '../../../core/place/model-hosts.ts'
import { travellingVariables } from '../../../core/place/travelling-variables.ts'
import { withoutCallersTerminal } from '../../../core/text/terminal-variables.ts'
import { readExit, removeLaunch } from '../../../host/launches.ts'
import { chooseSocketPath } from '../../../host/socket-path.ts'
import { readIfThere } from '../../../lib/plain-file.ts'
import { removeFile } from '../../../lib/remove.ts'
import { recordsTerminals } from '../../../lib/terminal/records-terminals.ts'
import type { AwayLaunch, RuntimeLaunch } from '../../../slots/runtime.ts'
import type { FarAgentLaunch, FarLaunch } from '../far-contract.ts'
import type { Far } from '../reach/far.ts'
import { installHost } from '../reach/install-host.ts'
import { connectHost, reachHost, sessionDirectory, startHostThere } from '../reach/reach-host.ts'
import { inheritConversation, sendConversation } from '../work/conversation.ts'
import { sendWorkspace } from '../work/send-workspace.ts'
import { forgeOfSession } from './forge-of-session.ts'
import {
  type HomeOfWork,
  type LineSpec,
  readAllSpecs,
  readLineSpec,
  removeLineFiles,
  writeLineSpec,
} from './line-files.ts'
import { forgetPaused, leavePlace, startPlace } from './paused-place.ts'
import { isOverProtocol, type PlaceContext } from './place-context.ts'
import { hasConversation, makeHandle, readHandle } from './place-handle.ts'
import { startLine, stopLine, untilConnected } from './start-line.ts'

const CONNECT_MS = 10_000
/** Some agents can resume a conversation only when the minute of its start is over. */
const LAUNCH_MS = 150_000

/** What follows once the agent runs there and the line to it is open; when it throws, the place is given back. */
type Finish = (spec: LineSpec) => Promise<RuntimeHandle>

export async function createSession(
  given: PlaceContext,
  launch: RuntimeLaunch,
  finish: Finish = async (spec) => makeHandle(given.name, launch.stateDir, spec),
): Promise<RuntimeHandle> {
  const { name, spawnId, stateDir } = launch
  mkdirSync(stateDir, { recursive: true, mode: 0o700 })
  const same = await refuseRunning(given, launch)
  if (same !== null) return finish(same)
  const place = { ...given, ...(await given.prepare?.(launch)) }
  const ref = await startPlace(place, { name, spawnId, stateDir })
  let far: Far | null = null
  try {
    const { host, connect, ...installed } = await installHost(place.engine, ref)
    const directory = sessionDirectory(installed.directory, launch)
    const there = { ref, host, connect, directory, name, spawnId }
    await startHostThere(place.engine, there)
    far = await connectHost(place.engine, there)
    const home = launch.away ? await sendHome(place, far, launch, launch.away) : null
    const spec = specOf(place, launch, { ref, host, connect, directory, home })
    // Before the agent: whoever finds an agent there finds this too.
    writeLineSpec(stateDir, spec)
    const ended = endedLaunch(launch)
    if (ended !== null) await sendConversation(far, stateDir, ended)
    const launched = await far.ask('POST /launch', { body: farLaunch(place, launch) }, { timeoutMs: LAUNCH_MS })
    const resumed = ended === null ? undefined : launched.resumed
    if (resumed !== undefined) writeLineSpec(stateDir, { ...spec, resumed })
    inheritConversation(stateDir, { from: ended, to: spawnId })
    far.close()
    await startLine(place.plugin, { stateDir, spawnId })
    // Not a condition: the agent runs, and a line that is slow is a line that connects later.
    await untilConnected(stateDir, spawnId, CONNECT_MS)
    const handle = await finish({ ...spec, resumed })
    forgetPaused(stateDir)
    return handle
  } catch (error) {
    far?.close()
    await giveBack(place, launch, ref)
    throw failed(place, launch, error)
  }
}

/** The launch whose conversation this one continues, as far as home has it. */
function endedLaunch({ resumes, stateDir }: RuntimeLaunch): string | null {
  const ended = resumes && hasConversation(resumes) ? readHandle(resumes) : null
  return ended?.stateDir === stateDir ? ended.spawnId : null
}

async function giveBack(place: PlaceContext, { stateDir, spawnId }: RuntimeLaunch, ref: string): Promise<void> {
  try {
    await stopLine(place.plugin, { stateDir, spawnId })
    await leavePlace(place, stateDir, ref)
  } catch (error) {
    place.plugin.log.warn(`${ref} could not be given back: ${errorText(error)}`)
  }
  removeLineFiles(stateDir, spawnId)
  removeLaunch(stateDir, spawnId)
}

function failed({ name }: PlaceContext, { sessionId, command }: RuntimeLaunch, error: unknown): AoError {
  const hint = error instanceof AoError ? error.hint?.replace('<place>', name) : undefined
  if (error instanceof AoError && error.code !== 'PLACE_FAILED') {
    if (hint === error.hint) return error
    return new AoError(error.code, error.message, { hint, details: error.details, cause: error })
  }
  return new AoError('RUNTIME_FAILED', `The agent of ${sessionId} could not be started: ${errorText(error)}`, {
    hint,
    details: { command: command[0] ?? null },
    cause: error,
  })
}

/** The same launch is returned; another one that still runs under this name is an error; ended ones are forgotten. */
async function refuseRunning(
  place: PlaceContext,
  { name, spawnId, stateDir }: RuntimeLaunch,
): Promise<LineSpec | null> {
  for (const spec of readAllSpecs(stateDir)) {
    if (spec.spawnId === spawnId) return spec
    const isOver = readExit(stateDir, spec.spawnId) !== null || (await place.engine.probe(spec.ref)).state === 'gone'
    if (!isOver) {
      throw new AoError('RUNTIME_FAILED', `${name} runs already, started by another launch`, { details: { name } })
    }
    removeLineFiles(stateDir, spec.spawnId)
    removeLaunch(stateDir, spec.spawnId)
    removeFile(spec.socket)
  }
  return null
}

interface There {
  ref: string
  host: string[]
  connect: string[] | undefined
  directory: string
  home: HomeOfWork | null
}

function specOf(place: PlaceContext, launch: RuntimeLaunch, there: There): LineSpec {
  const { name, spawnId, sessionId } = launch
  const { home, env, configDir, externalOf } = place.plugin
  const socket = chooseSocketPath({ home, env, key: `${name} ${spawnId}` })
  const overProtocol = isOverProtocol(place)
  const engine = { place: place.name, engine: place.type, options: place.options, configDir, externalOf }
  const hosts = place.modelOnly && modelHosts(farLaunch(place, launch).environment, place.modelOnly.hosts)
  return { name, spawnId, sessionId, ...engine, socket, overProtocol, modelHosts: hosts, ...there }
}

async function sendHome(place: PlaceContext, far: Far, launch: RuntimeLaunch, away: AwayLaunch): Promise<HomeOfWork> {
  const mirror = { sessionId: launch.sessionId, path: launch.workspacePath, env: place.plugin.env }
  const clonesRemote = place.plugin.place?.cloneFrom === 'remote'
  const sent = await sendWorkspace(far, mirror, away, { clonesRemote })
  const environment = Object.fromEntries(Object.entries(launch.environment).filter(([name]) => name.startsWith('AO_')))
  return {
    mirror: launch.workspacePath,
    project: away.project.path,
    defaultBranch: away.project.defaultBranch,
    branch: sent.ref!.replace('refs/heads/', ''),
    sent,
    environment,
    bin: away.bin,
    forge: await forgeOfSession(away.project, environment, place.plugin.env),
    issue: away.agent.issueId ?? null,
    maxUntrackedMb: place.plugin.place?.maxUntrackedMb,
  }
}

function farLaunch(place: PlaceContext, launch: RuntimeLaunch): FarLaunch {
  const { plugin } = place
  const how = {
    overProtocol: isOverProtocol(place),
    modelOnly: place.modelOnly !== undefined,
    isRecorded: recordsTerminals(plugin.env),
  }
  const { away, command, workspacePath, environment, cols = 120, rows = 40 } = launch
  if (!away) {
    const raw = { command, workspacePath }
    const kept = withoutCallersTerminal(environment, workspacePath)
    return { raw, agent: null, environment: kept, cols, rows, ...how }
  }
  const configured = away.agent.config.env
  const sent = travellingVariables(environment, { named: plugin.place?.environment, configured })
  return { raw: null, agent: farAgent(launch, away), environment: sent, cols, rows, ...how }
}

function farAgent(launch: RuntimeLaunch, away: AwayLaunch): FarAgentLaunch {
  const { agent } = away
  const now = new Date()
  return {
    agent: launch.agentName ?? '',
    options: away.agentOptions,
    sessionId: away.sessionId,
    project: away.project,
    issueId: agent.issueId ?? null,
    prompt: agent.prompt ?? null,
    instructions: agent.systemPromptFile === undefined ? null : readIfThere(agent.systemPromptFile),
    permissions: agent.permissions,
    model: agent.model ?? null,
    config: agent.config,
    role: agent.role,
    isResume: endedLaunch(launch) !== null,
    readyThresholdMs: away.readyThresholdMs,
    session: {
      ...{ id: away.sessionId, projectId: away.project.id, status: 'working', activity: null, branch: null },
      ...{ issueId: null, pr: null, runtimeHandle: null, agentInfo: null, createdAt: now, lastActivityAt: now },
      metadata: {},
    },
  }
}

/** null is a promise: nothing of this launch is running, and nothing of it will start later. */
export async function findSession(
  place: PlaceContext,
  launch: { name: string; spawnId: string; stateDir: string },
): Promise<RuntimeHandle | null> {
  const { name, spawnId, stateDir } = launch
  const spec = readLineSpec(stateDir, spawnId)
  const started = await place.engine.list()
  const found = started.find((one) => one.spawnId === spawnId && one.name === name)
  if (!found) return null
  if (spec !== null && (await hasAgent(place, spec))) {
    await startLine(place.plugin, { stateDir, spawnId })
    await untilConnected(stateDir, spawnId, CONNECT_MS)
    return makeHandle(place.name, stateDir, spec)
  }
  await leavePlace(place, stateDir, found.ref)
  removeLineFiles(stateDir, spawnId)
  return null
}

async function hasAgent(place: PlaceContext, spec: LineSpec): Promise<boolean> {
  const far = await reachHost(place.engine, spec)
  far.close()
  return far.hello.agent !== 'none'
}
