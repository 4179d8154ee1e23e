// The runtime handle of a session, if it is really its own: used to probe, send, show and attach. An agent can write its
// record file, and a record that names another session's agent is not trusted.
import type { SessionRecord } from '../contract/record.ts'
import type { RuntimeHandle } from '../contract/session.ts'
import { foreignHandle, type OwnLaunch } from '../core/session/check-ownership.ts'
import { lastOf } from '../store/session/history-pages.ts'
import { type ManagerContext, runtimeName } from './context.ts'

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
