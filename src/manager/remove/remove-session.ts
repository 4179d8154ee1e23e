// Removes a session for good: runtime ended, work saved, workspace removed, record archived. Used by kill and cleanup, and
// by recover to finish either. Every step may be repeated.
import { existsSync } from 'node:fs'
import { requireTrust } from '../../config/trust/trust.ts'
import type { ProjectConfig } from '../../contract/config.ts'
import { AoError, errorText } from '../../contract/errors.ts'
import type { Operation, OtherEvent } from '../../contract/events.ts'
import { runtimeName } from '../../contract/ids.ts'
import { EMPTY_RECORD, type SessionRecord } from '../../contract/record.ts'
import type { LeftProcess, RuntimeHandle } from '../../contract/session.ts'
import { type SessionStatus, TERMINAL_STATUSES } from '../../contract/status.ts'
import { storedSession } from '../../contract/stored-session.ts'
import { failpoint } from '../../lib/failpoint.ts'
import type { DestroyOptions, Runtime } from '../../slots/runtime.ts'
import type { Rescue, Workspace } from '../../slots/workspace.ts'
import type { SessionStore } from '../../store/session/session-store.ts'
import { type ManagerContext, workspaceOf } from '../context.ts'
import { variablesOf } from '../launch/plan.ts'
import { sessionFacts } from '../observe/session-facts.ts'
import { NO_OPERATION } from '../operation.ts'
import { ownRecord } from '../own-record.ts'
import { isInFormerPlace } from '../place/choose-place.ts'
import type { OnProgress } from '../types.ts'

export interface RemoveRequest {
  project: ProjectConfig
  store: SessionStore
  sessionId: string
  operation: Extract<Operation, 'kill' | 'cleanup'>
  keepWorkspace: boolean
  force: boolean
  /** The session's status before; the final status follows from it. */
  previous: SessionStatus
  /** Who requested it, for the history. */
  by: string
  /** A person says so. */
  endAs?: 'done' | undefined
  /** Its place is kept, paused. */
  pause?: boolean | undefined
  onProgress: OnProgress
  onLeftRunning?: DestroyOptions['onLeftRunning']
  /** Called with where uncommitted work was saved, once the workspace is gone. */
  onRescue?: ((rescue: Rescue) => void) | undefined
  /** What the user has to know, even without --verbose. */
  onNotice?: OnProgress | undefined
}

export async function removeSession(context: ManagerContext, request: RemoveRequest): Promise<void> {
  const { store, sessionId, operation, onProgress } = request
  const stored = store.read(sessionId) ?? { id: sessionId, pairs: {}, record: EMPTY_RECORD }
  const own = await ownRecord(context, request.project, sessionId, stored)
  const { record } = own
  // Read while the agent's files and the workspace still exist: the archive should say what was done.
  const facts = await sessionFacts(context, storedSession(own, request.project.id))

  onProgress('stopping the agent')
  const stopped = await stopRuntime(context, request, record)
  failpoint(`${operation}.runtime-stopped`)

  const final = finalStatus(request)
  const why = [`${request.pause ? 'pause' : operation} by ${request.by}`]
  const paused = request.pause ? context.clock.now() : null
  const finished = { type: 'operation.finished', operation } as const
  if (request.keepWorkspace) {
    await store.update(
      sessionId,
      { ...facts, endedAs: final, paused, stopped: null, ...NO_OPERATION },
      [stopped, finished],
      why,
    )
    return
  }
  const events = await removeWorkspace(context, request, record, final)
  onProgress('archiving the record')
  await store.archive(
    sessionId,
    { ...facts, endedAs: final, paused, stopped: null, ...NO_OPERATION },
    [stopped, ...events, finished],
    why,
  )
  failpoint(`${operation}.archived`)
}

/** Work is saved first. If that fails the workspace stays, the session counts as stopped, and the error is thrown on. */
async function removeWorkspace(
  context: ManagerContext,
  request: RemoveRequest,
  record: SessionRecord,
  final: SessionStatus,
): Promise<OtherEvent[]> {
  const { project, store, sessionId, operation, onProgress } = request
  const path = record.worktree
  if (path === undefined || path === project.path) return []
  const workspace = await workspaceOf(context, project, record.workspace)
  if (workspace.keepsDirectory) {
    request.onNotice?.(`${path} stays as it is: ${sessionId} had adopted it, and ao removes only what it made`)
    return []
  }
  try {
    const wasThere = existsSync(path)
    await workspace.rollBack?.(path)
    await workspace.repair?.(path, project)
    onProgress('saving uncommitted work')
    const rescue = existsSync(path) ? await saveWork(workspace, path, request) : null
    failpoint(`${operation}.work-saved`)
    const failed = existsSync(path) ? await tearDown(context, request, { workspace, record, path }) : []
    failpoint(`${operation}.torn-down`)
    onProgress(`removing ${path}`)
    await workspace.destroy(path)
    requireGone(path)
    failpoint(`${operation}.workspace-removed`)
    if (rescue) request.onRescue?.(rescue)
    return [
      ...failed,
      ...(rescue ? [{ type: 'workspace.rescued', ...rescue } as const] : []),
      ...(wasThere ? [{ type: 'workspace.removed', path } as const] : []),
    ]
  } catch (error) {
    await store.update(
      sessionId,
      { endedAs: final, stopped: null, ...NO_OPERATION },
      [{ type: 'operation.failed', operation, step: 'remove workspace', error: errorText(error) }],
      [`${operation} by ${request.by}`],
    )
    throw error
  }
}

async function stopRuntime(
  context: ManagerContext,
  { project, sessionId, operation, force, pause, onLeftRunning }: RemoveRequest,
  record: SessionRecord,
): Promise<OtherEvent> {
  const leftRunning: LeftProcess[] = []
  await destroyRuntime(context, project.id, sessionId, record, {
    force,
    pause: pause ? 'now' : undefined,
    onLeftRunning: (processes) => leftRunning.push(...processes),
  })
  if (leftRunning.length > 0) onLeftRunning?.(leftRunning)
  return { type: 'runtime.stopped', why: operation, leftRunning: leftRunning.length > 0 ? leftRunning : undefined }
}

async function saveWork(
  workspace: Workspace,
  path: string,
  { project, sessionId }: RemoveRequest,
): Promise<Rescue | null> {
  if (!(await workspace.exists(path, project))) {
    throw new AoError('WORKSPACE_NOT_SAVED', `${path} is there, but it is no longer a workspace of ${project.id}`, {
      hint: `Nothing was removed. Move it away, then try again: mv '${path}' '${path}.kept'`,
      details: { path },
    })
  }
  return (await workspace.snapshot?.(path, sessionId)) ?? null
}

/**
 * The project's preRemove commands. The work is saved by now, so whatever they do costs none; and a command that fails does not
 * keep a session from being removed: resolves with the events of what failed.
 */
async function tearDown(
  context: ManagerContext,
  { project, sessionId, onProgress, onNotice }: RemoveRequest,
  { workspace, record, path }: { workspace: Workspace; record: SessionRecord; path: string },
): Promise<OtherEvent[]> {
  if (!workspace.preRemove || (project.preRemove ?? []).length === 0) return []
  const { branch = '', issue: issueId = null, firstPort } = record
  const variables = variablesOf(context.config, { project, sessionId, branch, issueId, path, firstPort })
  const { paths, env, config } = context
  const stateDir = paths.project(project.id).stateDir(sessionId)
  try {
    requireTrust(config, { home: paths.home, env, projectId: project.id, kinds: ['postCreate'] })
    const spec = { projectId: project.id, project, sessionId, branch, stateDir, variables, onProgress }
    await workspace.preRemove(path, spec)
    return []
  } catch (error) {
    const why = errorText(error)
    onNotice?.(`${sessionId} is removed all the same, but its preRemove did not succeed: ${why}`)
    return [{ type: 'hook.failed', hook: 'preRemove', error: why }]
  }
}

/** Nothing is archived as removed while its files exist. */
function requireGone(path: string): void {
  if (!existsSync(path)) return
  throw new AoError('WORKSPACE_FAILED', `${path} was not removed completely`, {
    hint: 'Its work is saved. Find out who writes there, then try again',
    details: { path },
  })
}

/** Ends what the record names, or what a crashed start left under the session's name. */
export async function destroyRuntime(
  context: ManagerContext,
  projectId: string,
  sessionId: string,
  record: SessionRecord,
  options: DestroyOptions,
): Promise<void> {
  const found = await findRuntime(context, projectId, sessionId, record)
  if (found) await found.runtime.destroy(found.handle, options)
}

export async function findRuntime(
  context: ManagerContext,
  projectId: string,
  sessionId: string,
  record: SessionRecord,
): Promise<{ runtime: Runtime; handle: RuntimeHandle } | null> {
  const { runtimeHandle } = record
  if (runtimeHandle) {
    // Without any file of its line at home it was ended, and its place given back, before the place left the configuration.
    const isOver = isInFormerPlace(context, record) && record.paused === undefined
    const name = runtimeHandle.runtimeName
    const runtime = isOver ? await context.registry.find('runtime', name) : await context.registry.load('runtime', name)
    return runtime && { runtime, handle: runtimeHandle }
  }
  const { runtime: name, spawnId } = record
  if (name === undefined || spawnId === undefined) return null
  const runtime = await context.registry.load('runtime', name)
  const stateDir = context.paths.project(projectId).stateDir(sessionId)
  const handle = await runtime.find?.({ name: runtimeName(context.paths.hash, sessionId), spawnId, stateDir })
  return handle ? { runtime, handle } : null
}

/** A session that had already ended keeps its status; a running one was killed. */
function finalStatus({ previous, force, endAs }: RemoveRequest): SessionStatus {
  if (endAs && previous !== 'merged') return endAs
  if (TERMINAL_STATUSES.has(previous) && previous !== 'cleanup') return previous
  return force ? 'terminated' : 'killed'
}
