// The red button: every agent is stopped where it is, everything that would start a turn waits, and resuming lets exactly those go
// on. It needs no loop, and reaches other repositories too: an agent is found by the marker in its environment.
import { join } from 'node:path'
import { AoError, errorText } from '../../contract/errors.ts'
import { EMPTY_RECORD, recordOf } from '../../contract/record.ts'
import type { AgentStop } from '../../contract/record-values.ts'
import type { RuntimeHandle, Session } from '../../contract/session.ts'
import { isTerminalSession } from '../../contract/status.ts'
import { describePause } from '../../core/status/describe-pause.ts'
import { namesIn } from '../../lib/plain-file.ts'
import { freeLocks, stopFamilies } from '../../lib/process/stop-families.ts'
import { changePause, type FleetPause, readPause, type StoppedAgent } from '../../store/fleet-pause.ts'
import { projectPaths } from '../../store/paths.ts'
import { listSessionIds, readSessionFile } from '../../store/session/session-file.ts'
import { storedSessions } from '../active.ts'
import type { ManagerContext } from '../context.ts'
import { list } from '../observe/enrich.ts'
import { endTurns, type NotStopped, stillRunning } from './end-turns.ts'

export interface PauseOrder {
  by: string
  reason?: string | undefined
  until?: Date | undefined
}

export interface Paused {
  pause: FleetPause
  /** Agents that go on: only a person at their place can stop them. */
  notStopped: NotStopped[]
}

/** A second time it stops what was started since, and the first order stands unless this one says otherwise. */
export async function pauseFleet(context: ManagerContext, order: PauseOrder): Promise<Paused> {
  const { by, reason, until } = order
  const now = context.clock.now().toISOString()
  const ordered = await recordIfOurs(context, (before) => ({
    at: before?.at ?? now,
    by: before?.by ?? by,
    reason: reason ?? before?.reason,
    until: until?.toISOString() ?? before?.until,
    stopped: before?.stopped ?? [],
    state: 'paused',
  }))
  const paused = await stopEverything(context)
  // It is paused by that file, and every agent was stopped; who they are could not be written down.
  if (ordered !== null) throw ordered
  return paused
}

/** The error of a file that a newer program wrote, or somebody in its name: it keeps no agent from being stopped. */
async function recordIfOurs(
  { paths }: ManagerContext,
  change: Parameters<typeof changePause>[1],
): Promise<AoError | null> {
  try {
    await changePause(paths, change)
    return null
  } catch (error) {
    if (error instanceof AoError && error.code === 'FORMAT_NEWER') return error
    throw error
  }
}

/** What the order says is done now: also for a loop that finds it, and after a start that was under way when it came. */
export async function stopEverything(context: ManagerContext): Promise<Paused> {
  const agents = recordedAgents(context.paths.dataDir)
  const families = stopFamilies(agents.map(({ spawnId }) => spawnId))
  const here = agents.filter(({ spawnId }) => families.get(spawnId)!.length > 0)
  await noteStopped(context, here)
  const directories = new Set(here.map(({ projectDir }) => projectPaths(projectDir).locks))
  await freeLocks([...directories], families)
  const elsewhere = await stopElsewhere(context)
  const sessions = new Map((await list(context)).map((session) => [recordOf(session).spawnId, session]))
  const running = await stillRunning(families)
  const terminals = await endTurns(context, { running, here, sessions })
  const inTurn = here.flatMap((one) =>
    sessions.get(one.spawnId)?.activity === 'active'
      ? [{ ...one, inTurn: true, interrupted: running.has(one.spawnId) }]
      : [],
  )
  const notStopped = [...elsewhere.notStopped, ...terminals]
  await noteStopped(context, [...elsewhere.stopped, ...inTurn])
  const pause = readPause(context.paths)
  if (pause === null) throw new AoError('STATE_REFUSED', 'It was resumed in the meantime', { hint: 'ao pause' })
  return { pause, notStopped }
}

/** Throws PAUSED. */
export function refuseWhilePaused({ paths }: Pick<ManagerContext, 'paths'>): void {
  const pause = readPause(paths)
  if (pause?.state === 'paused') throw new AoError('PAUSED', describePause(pause))
}

/** Of all repositories of this user, also of those whose configuration cannot be read. */
export function recordedAgents(dataDir: string): StoppedAgent[] {
  return readRecords(dataDir).map(({ agent }) => agent)
}

/** Spawn ids of those that are stopped for a reason of their own. */
export function stoppedAlone(dataDir: string): Set<string> {
  return new Set(readRecords(dataDir).flatMap(({ stopped, agent }) => (stopped === undefined ? [] : agent.spawnId)))
}

function readRecords(dataDir: string): Array<{ agent: StoppedAgent; stopped: AgentStop | undefined }> {
  const directories = namesIn(dataDir).filter((name) => /^[0-9a-f]{12}-/.test(name))
  return directories.flatMap((name) => {
    const paths = projectPaths(join(dataDir, name))
    return listSessionIds(paths).flatMap((sessionId) => {
      const { spawnId, stopped } = readSessionFile(paths, sessionId)?.record ?? EMPTY_RECORD
      return spawnId ? [{ agent: { projectDir: paths.dir, sessionId, spawnId }, stopped }] : []
    })
  })
}

async function noteStopped(context: ManagerContext, agents: readonly StoppedAgent[]): Promise<void> {
  if (agents.length === 0) return
  const isSame = (one: StoppedAgent) => (other: StoppedAgent) => other.spawnId === one.spawnId
  await recordIfOurs(
    context,
    (pause) =>
      pause && {
        ...pause,
        stopped: [...pause.stopped.filter((one) => !agents.some(isSame(one))), ...agents],
      },
  )
}

export async function forgetStopped(context: ManagerContext, sessionId: string): Promise<void> {
  const own = new Set(Object.keys(context.config.projects).map((id) => context.paths.project(id).dir))
  const isIt = (one: StoppedAgent) => one.sessionId === sessionId && own.has(one.projectDir)
  await changePause(context.paths, (pause) => pause && { ...pause, stopped: pause.stopped.filter((one) => !isIt(one)) })
}

async function stopElsewhere(context: ManagerContext): Promise<{ stopped: StoppedAgent[]; notStopped: NotStopped[] }> {
  const stopped: StoppedAgent[] = []
  const notStopped: NotStopped[] = []
  await Promise.all(
    elsewhereOf(context).map(async ({ session, handle, agent }) => {
      const failed = await setElsewhere(context, handle, true)
      if (failed === null) stopped.push(agent)
      else notStopped.push({ sessionId: session.id, why: failed })
    }),
  )
  return { stopped, notStopped }
}

/** Those that run in a place. */
export function elsewhereOf(
  context: ManagerContext,
): Array<{ session: Session; handle: RuntimeHandle; agent: StoppedAgent }> {
  return storedSessions(context).flatMap((session) => {
    const { runtimeHandle: handle, projectId, id: sessionId } = session
    const { place, spawnId } = recordOf(session)
    if (!place || !spawnId || handle === null || isTerminalSession({ status: session.status, activity: null }))
      return []
    const agent = { projectDir: context.paths.project(projectId).dir, sessionId, spawnId, place }
    return [{ session, handle, agent }]
  })
}

/** null: done. */
export async function setElsewhere(
  context: ManagerContext,
  handle: RuntimeHandle,
  stopped: boolean,
): Promise<string | null> {
  try {
    const { elsewhere } = await context.registry.load('runtime', handle.runtimeName)
    if (!elsewhere?.setStopped) return 'its place cannot stop an agent'
    await elsewhere.setStopped(handle, stopped)
    return null
  } catch (error) {
    return errorText(error)
  }
}
