// An active session with what reaches its agent: found once for an operation, and passed on.

import { AoError } from '../contract/errors.ts'
import { recordOf, type SessionRecord } from '../contract/record.ts'
import type { RuntimeHandle, Session } from '../contract/session.ts'
import { endedHint, isTerminalSession } from '../contract/status.ts'
import { foreignHandle, type OwnLaunch } from '../core/session/check-ownership.ts'
import type { Agent, ReadOptions } from '../slots/agent.ts'
import type { PluginRegistry } from '../slots/registry.ts'
import type { Runtime } from '../slots/runtime.ts'
import type { SessionEvents } from '../slots/session-events.ts'
import { lastOf } from '../store/session/history.ts'
import { type FoundSession, type ManagerContext, runtimeName } from './context.ts'

export interface ActiveSession extends FoundSession {
  /** As it was observed for this operation. */
  session: Session
  handle: RuntimeHandle
  runtime: Runtime
  /** null: its record names none, or the runtime speaks to it in events. */
  agent: Agent | null
}

/** Who gets a message or an answer. */
export type Addressee = Pick<ActiveSession, 'store' | 'session' | 'runtime' | 'agent'>

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
  const stateDir = context.paths.project(projectId).stateDir(sessionId)
  return { name: runtimeName(context, sessionId), stateDir, spawnId, othersSpawnIds }
}

/** Of the last start in the history. */
export function startedHandle(context: ManagerContext, projectId: string, sessionId: string): RuntimeHandle | null {
  const started = lastOf(context.store(projectId).paths, sessionId, 'runtime.started')
  return started?.type === 'runtime.started' ? started.handle : null
}

/** null: its record names none, or none that exists. */
export async function agentOf(registry: PluginRegistry, session: Session): Promise<Agent | null> {
  const name = recordOf(session).agent
  const agent = name === undefined ? null : await registry.find('agent', name)
  return agent && whereItRuns(registry, session, agent)
}

export async function whereItRuns(registry: PluginRegistry, session: Session, agent: Agent): Promise<Agent> {
  const handle = session.runtimeHandle
  if (!handle) return agent
  return (await registry.find('runtime', handle.runtimeName))?.elsewhere?.readAgent(handle, agent) ?? agent
}

export function readOptions(context: ManagerContext, session: Pick<Session, 'id' | 'projectId'>): ReadOptions {
  return {
    readyThresholdMs: context.config.readyThresholdMs,
    now: context.clock.now(),
    stateDir: context.paths.project(session.projectId).stateDir(session.id),
  }
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
