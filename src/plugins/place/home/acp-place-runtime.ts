// A runtime whose agents run in a place and speak the Agent Client Protocol. agh, at home, reads the agent's host there through the
// line, whose socket a record names (host/elsewhere.ts). The rest of the place is as for agents in a terminal.
import { AoError, errorText } from '../../../contract/errors.ts'
import { runtimeInPlace, shownName } from '../../../contract/ids.ts'
import type { RuntimeHandle } from '../../../contract/session.ts'
import { ACTIVITY_STATES } from '../../../contract/status.ts'
import { checkInfo } from '../../../core/place/check-far-values.ts'
import type { FarReading } from '../../../core/place/line/line-state.ts'
import { askHost } from '../../../host/client.ts'
import { writeElsewhere } from '../../../host/elsewhere.ts'
import { hostDirectory } from '../../../host/files.ts'
import { readExit } from '../../../host/launches.ts'
import { systemClock } from '../../../lib/clock.ts'
import type { ActivityReading, Agent, Seen } from '../../../slots/agent.ts'
import { isKnownAlive, type Liveness, type Runtime, type RuntimeLaunch } from '../../../slots/runtime.ts'
import { createAcpRuntime } from '../../runtime-acp/acp-runtime.ts'
import { farPaths } from '../far/far-paths.ts'
import { reachHost } from '../reach/reach-host.ts'
import { setStopped, writeAttachment } from './ask-host.ts'
import { createSession, findSession } from './create-session.ts'
import { describeSession } from './describe-session.ts'
import { destroySession, requirePausable } from './destroy-session.ts'
import { openFarCheckout } from './far-checkout.ts'
import { awaitLine, judge } from './judge-session.ts'
import { type LineSpec, readLineSpec, readLineState, stateFile } from './line-files.ts'
import type { PlaceContext } from './place-context.ts'
import { type LaunchHandle, lineHandle, makeHandle, readHandle, requireHandle } from './place-handle.ts'
import { lineRuns } from './start-line.ts'

export function createAcpPlaceRuntime(place: PlaceContext): Runtime {
  const acp = createAcpRuntime({ graceMs: place.graceMs }, place.plugin)
  const name = runtimeInPlace(place.name, true)
  /** agh's handle, and where the session is. */
  const both = ({ id, data }: RuntimeHandle, there: RuntimeHandle): RuntimeHandle => ({
    id,
    runtimeName: name,
    data: { ...data, ...there.data },
  })
  const probe = async (handles: RuntimeHandle[]): Promise<Map<string, Liveness>> => {
    const [here, there] = await Promise.all([
      acp.probe!(handles),
      Promise.all(handles.map((handle) => judge(place, handle))),
    ])
    return new Map(handles.map(({ id }, index) => [id, join(here.get(id)!, there[index]!)]))
  }
  return {
    ...acp,
    name,
    create: (launch) =>
      createSession(place, launch, async (spec) =>
        both(await acp.create(launchThere(launch, spec)), makeHandle(name, launch.stateDir, spec)),
      ),
    async find(launch) {
      const there = await findSession(place, launch)
      const here = (await acp.find!(launch)) ?? null
      if (there && here) return both(here, there)
      // Half a session is none: agh starts nothing for a creator that is dead.
      if (here) await acp.destroy(here, { force: true })
      if (there) await destroySession(place, requireHandle(there), {})
      return null
    },
    async destroy(handle, options = {}) {
      const launch = requireHandle(handle)
      // Before anything of it is ended here: what cannot be ended there continues.
      if (!options.force) await requireReachable(place, launch)
      const spec = options.pause === 'now' ? readLineSpec(launch.stateDir, launch.spawnId) : null
      if (spec) await requirePausable(place, spec)
      await acp.destroy(handle, options)
      await destroySession(place, launch, options)
    },
    async sendMessage(handle, text, options) {
      await awaitLine(place, handle)
      const there = await judge(place, handle)
      if (there.state !== 'alive') {
        const what = `The message to ${shownName(handle.id)} was not handed over`
        throw new AoError('RUNTIME_FAILED', `${what}: ${there.why}`, { details: { name: handle.id, pasted: false } })
      }
      await acp.sendMessage(handle, text, options)
    },
    // agh asks the agent to continue; one that knows nothing of the conversation gets a recap.
    canResume: async (handle) => typeof handle.data?.ref === 'string' && ((await acp.canResume?.(handle)) ?? false),
    probe,
    isAlive: async (handle) => isKnownAlive(handle, (await probe([handle])).get(handle.id)!),
    listNames: () => listNames(place),
    elsewhere: elsewhere(place),
  }
}

export async function listNames({ engine }: PlaceContext): Promise<string[]> {
  return (await engine.list()).map(({ name }) => name).toSorted()
}

/** However its agents are spoken to. */
export function elsewhere(place: PlaceContext): NonNullable<Runtime['elsewhere']> {
  return {
    place: place.name,
    canPause: place.engine.pause !== undefined,
    repositoryFiles: place.repositoryFiles,
    readAgent: agentInPlace,
    describe: (handle) => describeSession(place.name, handle),
    check: () => place.engine.check(),
    writeAttachment: (handle, file, bytes) => writeAttachment(place, requireHandle(handle), file, bytes),
    setStopped: (handle, stopped) => setStopped(place, requireHandle(handle), stopped),
    checkOut: async (handle, request) => openFarCheckout(place, requireHandle(handle), request),
  }
}

/** What the place knows of an end says more than what agh saw of it. */
function join(here: Liveness, there: Liveness): Liveness {
  const { workLeft } = there
  if (here.state !== 'dead') return there.state === 'alive' ? { ...here, workLeft } : there
  if (there.state !== 'dead') return { ...here, workLeft }
  const isExact = there.signal != null || there.exitCode != null
  return isExact ? there : { ...here, why: there.why, workLeft }
}

function launchThere(launch: RuntimeLaunch, { directory, socket, spawnId }: LineSpec): RuntimeLaunch {
  const { PATH = '/usr/bin:/bin', HOME = '/' } = launch.environment
  const host = hostDirectory(launch.stateDir, spawnId)
  writeElsewhere(host, { spawnId, socket })
  return {
    ...launch,
    hostDirectory: host,
    // The agent has its own there; nothing of it is needed here.
    environment: { PATH, HOME },
    additionalDirectories: undefined,
    mcpCommand: launch.mcpCommand && [`${directory}/bin/ao`, 'mcp'],
    farWorkspace: launch.away ? farPaths(directory).workspace : launch.workspacePath,
  }
}

async function requireReachable(place: PlaceContext, { name, stateDir, spawnId }: LaunchHandle): Promise<void> {
  const spec = readLineSpec(stateDir, spawnId)
  if (spec === null || (await place.engine.probe(spec.ref)).state === 'gone') return
  try {
    const far = await reachHost(place.engine, spec)
    far.close()
  } catch (error) {
    throw new AoError('PLACE_UNREACHABLE', `${shownName(name)} was not ended: ${errorText(error)}`, {
      hint: 'Try again when the place can be reached, or give it up with --force; home has the work of its last turn',
      cause: error,
    })
  }
}

/** As the manager reads it: the last reading that came home. What is asked of its records is asked there. */
function agentInPlace(handle: RuntimeHandle, agent: Agent): Agent {
  const launch = readHandle(handle)
  // One that is read from its screen is read at home.
  if (launch === null || agent.activitySource === 'screen') return agent
  const { stateDir, spawnId } = launch
  const reading = () => readLineState(stateDir, spawnId)?.reading ?? null
  // Nobody has heard of it since its line ended, unless the agent had ended before.
  const isCurrent = () => lineRuns(launch, readLineState(stateDir, spawnId)) || readExit(stateDir, spawnId) !== null
  return {
    ...agent,
    getActivityState: async () => (isCurrent() ? activityOf(reading()?.activity ?? null) : null),
    getSessionInfo: async () => checkInfo(reading()?.info ?? null),
    hasSeen: async (_session, text, since) => (agent.hasSeen ? hasSeen(launch, text, since) : null),
    watchPaths: async () => [stateFile(stateDir, spawnId)],
  }
}

const SEEN_TIMEOUT_MS = 1_900

/** null: the line is not there to say. */
async function hasSeen(handle: LaunchHandle, text: string, since: Date): Promise<Seen> {
  const { socket } = lineHandle(handle)
  if (socket === undefined) return null
  return askHost(socket, SEEN_TIMEOUT_MS, (client) => client.seen(text, since, systemClock.now())).catch(() => null)
}

function activityOf(activity: FarReading['activity']): ActivityReading | null {
  const state = ACTIVITY_STATES.find((one) => one === activity?.state)
  if (activity === null || state === undefined) return null
  const timestamp = activity.timestamp === undefined ? undefined : new Date(activity.timestamp)
  const evidence = typeof activity.evidence === 'string' ? activity.evidence.slice(0, 1_000) : undefined
  return { state, timestamp, evidence, asksInWords: activity.asksInWords === true || undefined }
}
