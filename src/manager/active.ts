// Stored sessions, each with the runtime that is its own, and the one that an operation is about: found once, and passed on. An agent can
// write its record, so nothing is ended or removed on the record's authority alone.

import { AoError } from '../contract/errors.ts'
import { runtimeName } from '../contract/ids.ts'
import { recordOf, type SessionRecord } from '../contract/record.ts'
import type { RuntimeHandle, Session } from '../contract/session.ts'
import { endedHint, isTerminalSession } from '../contract/status.ts'
import { storedSession } from '../contract/stored-session.ts'
import type { Agent } from '../slots/agent.ts'
import type { Runtime } from '../slots/runtime.ts'
import type { SessionEvents } from '../slots/session-events.ts'
import { lastOf } from '../store/session/history.ts'
import type { StoredSession } from '../store/session/session-store.ts'
import { agentOf, type FoundSession, type ManagerContext, projectIds } from './context.ts'
import { isBetweenAgents } from './operation.ts'

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
  context.log.debug(`the record of ${sessionId} names a runtime that is not its own; ignoring it: ${why}`)
  const started = startedHandle(context, projectId, sessionId)
  // The spawn id next to a foreign handle may be just as wrong.
  const isOwn = started !== null && foreignHandle(started, ownLaunch(context, projectId, { sessionId })) === null
  return isOwn ? started : null
}

/** What is known of a session's runtime without trusting the handle. */
export interface OwnLaunch {
  /** `{hash}-{sessionId}`. */
  name: string
  stateDir: string
  /** The session's own start; undefined in old records. */
  spawnId: string | undefined
  /** The starts of all other sessions. */
  othersSpawnIds: ReadonlySet<string>
}

/** null: it belongs to the session. Otherwise the reason why not. */
export function foreignHandle(handle: RuntimeHandle, own: OwnLaunch): string | null {
  if (handle.id !== own.name) return `it names ${handle.id}, not ${own.name}`
  const { spawnId, stateDir } = handle.data ?? {}
  if (typeof stateDir === 'string' && stateDir !== own.stateDir) return `its state directory is ${stateDir}`
  if (typeof spawnId !== 'string') return null
  if (own.othersSpawnIds.has(spawnId)) return 'it names the agent of another session'
  return own.spawnId === undefined || spawnId === own.spawnId ? null : 'it names another start than the record'
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
  if (isTerminalSession(session) && !isBetweenAgents(recordOf(session))) {
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
