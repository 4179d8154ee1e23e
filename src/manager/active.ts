// Stored sessions, and what reaches their agents: found once for an operation or a tick, and passed on.

import { AoError, errorText } from '../contract/errors.ts'
import { runtimeName } from '../contract/ids.ts'
import { recordOf, type SessionRecord } from '../contract/record.ts'
import type { RuntimeHandle, Session } from '../contract/session.ts'
import { endedHint, isTerminalSession } from '../contract/status.ts'
import { storedSession } from '../contract/stored-session.ts'
import { foreignHandle, type OwnLaunch } from '../core/session/check-ownership.ts'
import type { Agent } from '../slots/agent.ts'
import type { SlotMap } from '../slots/plugin.ts'
import type { PluginRegistry } from '../slots/registry.ts'
import type { Runtime } from '../slots/runtime.ts'
import type { SessionEvents } from '../slots/session-events.ts'
import { lastOf } from '../store/session/history.ts'
import type { StoredSession } from '../store/session/session-store.ts'
import { type FoundSession, type ManagerContext, projectIds } from './context.ts'

export function storedSessions(context: ManagerContext, projectId?: string): Session[] {
  return projectIds(context, projectId).flatMap((id) => projectSessions(context, id))
}

/** Of one project. */
export function projectSessions(context: ManagerContext, projectId: string): Session[] {
  const store = context.store(projectId)
  const toSession = store.isFollowed() ? cachedSession : recordedSession
  return store.readAll().map((stored) => toSession(context, { project: { id: projectId }, stored }))
}

/** Of records that stay the same object while they do not change. */
const sessions = new WeakMap<StoredSession, Session>()

const isCachedSession = new WeakSet<Session>()

function cachedSession(context: ManagerContext, found: Parameters<typeof recordedSession>[1]): Session {
  const { stored } = found
  const cached = sessions.get(stored)
  if (cached) return cached
  const session = recordedSession(context, found)
  // A handle that is not the record's own comes from the history, which may go on.
  if (session.runtimeHandle !== (stored.record.runtimeHandle ?? null)) return session
  // Shared by everybody who lists.
  sessions.set(stored, Object.freeze(session))
  isCachedSession.add(session)
  return session
}

/** As long as its record does, in a process that follows the records. */
export function staysTheSame(stored: Session): boolean {
  return isCachedSession.has(stored)
}

/** Those of them that there are. */
export function storedOf(context: ManagerContext, projectId: string, sessionIds: string[]): Session[] {
  const store = context.store(projectId)
  return sessionIds.flatMap((sessionId) => {
    const stored = store.read(sessionId)
    // null: it ended since its id was read.
    return stored ? [recordedSession(context, { project: { id: projectId }, stored })] : []
  })
}

/** As its record describes it, nothing observed. The runtime that a record names is not necessarily its own. */
export function recordedSession(
  context: ManagerContext,
  { project, stored }: Pick<FoundSession, 'stored'> & { project: { id: string } },
): Session {
  const runtimeHandle = ownHandle(context, project.id, stored.id, stored.record)
  return { ...storedSession(stored, project.id), runtimeHandle }
}

/** The record's handle when it belongs to the session, else that of its last start; null: there is neither. */
export function ownHandle(
  context: ManagerContext,
  projectId: string,
  sessionId: string,
  { runtimeHandle, spawnId }: Pick<SessionRecord, 'runtimeHandle' | 'spawnId'>,
): RuntimeHandle | null {
  if (!runtimeHandle) return null
  const why = foreignHandle(runtimeHandle, ownLaunch(context, projectId, { sessionId, spawnId }))
  if (why === null) return runtimeHandle
  context.log.debug(`the record of ${sessionId} names a runtime that is not its own and is not believed: ${why}`)
  const started = startedHandle(context, projectId, sessionId)
  // The spawn id next to a foreign handle may be just as wrong.
  const isOwn = started !== null && foreignHandle(started, ownLaunch(context, projectId, { sessionId })) === null
  return isOwn ? started : null
}

interface Launch {
  sessionId: string
  spawnId?: string | undefined
  /** Without them a handle is judged by its name, its directory and its session's own spawn id. */
  othersSpawnIds?: ReadonlySet<string>
}

export function ownLaunch(
  context: ManagerContext,
  projectId: string,
  { sessionId, spawnId, othersSpawnIds = new Set() }: Launch,
): OwnLaunch {
  const stateDir = context.store(projectId).paths.stateDir(sessionId)
  return { name: runtimeName(context.paths.hash, sessionId), stateDir, spawnId, othersSpawnIds }
}

/** Of the last start in the history. */
export function startedHandle(context: ManagerContext, projectId: string, sessionId: string): RuntimeHandle | null {
  const started = lastOf(context.store(projectId).paths, sessionId, 'runtime.started')
  return started?.type === 'runtime.started' ? started.handle : null
}

/** A session with what reaches its agent: found once, and passed on. */
export interface ReachedSession {
  /** As it is stored. */
  readonly session: Session
  /** null: none was started, or its plugin cannot be used. */
  readonly runtime: Runtime | null
  /** Where it runs. null: its record names none, or its plugin cannot be used. */
  readonly agent: Agent | null
}

/** Each plugin is asked for once, however many sessions use it. */
export async function reachSessions(context: ManagerContext, sessions: readonly Session[]): Promise<ReachedSession[]> {
  const runtimes = new Map<string, Runtime | null>()
  const agents = new Map<string, Agent | null>()
  for (const session of sessions) {
    const { agent, runtime } = pluginsOf(session)
    if (agent !== undefined && !agents.has(agent)) agents.set(agent, await findPlugin(context, 'agent', agent))
    if (runtime !== undefined && !runtimes.has(runtime)) {
      runtimes.set(runtime, await findPlugin(context, 'runtime', runtime))
    }
  }
  return sessions.map((session) => {
    const { agent: name = '', runtime: where = '' } = pluginsOf(session)
    const runtime = runtimes.get(where) ?? null
    return { session, runtime, agent: whereItRuns(session, agents.get(name) ?? null, runtime) }
  })
}

export function pluginsOf(session: Session): { agent: string | undefined; runtime: string | undefined } {
  return { agent: recordOf(session).agent, runtime: session.runtimeHandle?.runtimeName }
}

function whereItRuns({ runtimeHandle }: Session, agent: Agent | null, runtime: Runtime | null): Agent | null {
  try {
    return (agent && runtimeHandle && runtime?.elsewhere?.readAgent(runtimeHandle, agent)) ?? agent
  } catch {
    // A plugin of somebody else: its sessions are read from here, and those of others as ever.
    return agent
  }
}

/** A plugin that cannot be loaded must not hide the sessions that use it. */
export async function findPlugin<S extends 'agent' | 'runtime'>(
  context: ManagerContext,
  slot: S,
  name: string,
): Promise<SlotMap[S] | null> {
  try {
    return await context.registry.find(slot, name)
  } catch (error) {
    context.log.warn(`${slot} plugin ${name}: ${errorText(error)}`)
    return null
  }
}

/** null: its record names none, or none that exists. */
export async function agentOf(registry: PluginRegistry, session: Session): Promise<Agent | null> {
  const name = recordOf(session).agent
  const agent = name === undefined ? null : await registry.find('agent', name)
  const handle = session.runtimeHandle
  const runtime = agent && handle && (await registry.find('runtime', handle.runtimeName))
  return whereItRuns(session, agent, runtime)
}

export interface ActiveSession extends FoundSession {
  /** As it was observed for this operation. */
  session: Session
  handle: RuntimeHandle
  runtime: Runtime
  /** null: its record names none, or the runtime speaks to it in events. */
  agent: Agent | null
}

/** Who gets a message or an answer. */
export type Addressee = Pick<ActiveSession, 'project' | 'store' | 'session' | 'runtime' | 'agent'>

/** Throws SESSION_NOT_RUNNING when there is no agent to reach. */
export async function reachAgent(
  context: ManagerContext,
  found: FoundSession,
  session: Session,
): Promise<ActiveSession> {
  const handle = requireHandle(session)
  const runtime = await context.registry.load('runtime', handle.runtimeName)
  const agent = runtime.events ? null : await agentOf(context.registry, session)
  return { ...found, session, handle, runtime, agent }
}

function requireHandle(session: Session): RuntimeHandle {
  const { id, status, runtimeHandle } = session
  const details = { sessionId: id, status }
  // Between two agents: what is sent waits for the second.
  if (isTerminalSession(session) && recordOf(session).switchTo === undefined) {
    throw new AoError('SESSION_NOT_RUNNING', `Session ${id} is not running: its status is ${status}`, {
      hint: endedHint(id, status),
      details,
    })
  }
  if (runtimeHandle === null) {
    throw new AoError(
      'SESSION_NOT_RUNNING',
      `Session ${id} is ${status}, but its record names no runtime to send the message to`,
      { hint: `If it is still starting, try again in a moment; otherwise run: ao session kill ${id}`, details },
    )
  }
  return runtimeHandle
}

export interface Events {
  events: SessionEvents
  handle: RuntimeHandle
}

/** null: its runtime does not talk to the agent in events. */
export async function findEvents(
  context: ManagerContext,
  { project, stored }: Pick<FoundSession, 'project' | 'stored'>,
): Promise<Events | null> {
  const handle = ownHandle(context, project.id, stored.id, stored.record)
  if (!handle) return null
  const events = (await context.registry.find('runtime', handle.runtimeName))?.events
  return events ? { events, handle } : null
}
