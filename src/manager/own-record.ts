// A session's record with only those of its claims that hold. An agent can write the file, and a person can edit it: what
// is ended or removed is decided from here, so that no session can be made to act on another one's agent or workspace.
import { resolve } from 'node:path'
import type { ProjectConfig } from '../contract/config.ts'
import type { RuntimeHandle } from '../contract/session.ts'
import { foreignHandle, foreignWorkspace, type OwnLaunch } from '../core/session/check-ownership.ts'
import { lastOf } from '../store/session/history-pages.ts'
import { metadataToSession } from '../store/session/metadata-to-session.ts'
import { workspaceOf } from './chosen-plugin.ts'
import { type ManagerContext, projectIds } from './context.ts'
import { runtimeName } from './launch/launch.ts'

type Pairs = Record<string, string>

/** The record as it may be acted on: a foreign handle or workspace is replaced by the session's own, or left out. */
export async function ownRecord(
  context: ManagerContext,
  project: ProjectConfig,
  sessionId: string,
  pairs: Pairs,
): Promise<Pairs> {
  const others = recordsOfOthers(context, project.id, sessionId)
  const refused = (what: string, why: string) =>
    context.log.warn(`the record of ${sessionId} names a ${what} that is not its own and is not believed: ${why}`)
  const withRuntime = ownRuntime(context, project, sessionId, pairs, others, refused)
  return ownWorkspace(context, project, sessionId, withRuntime, others, refused)
}

type Refused = (what: string, why: string) => void

function ownRuntime(
  context: ManagerContext,
  project: ProjectConfig,
  sessionId: string,
  pairs: Pairs,
  others: Pairs[],
  refused: Refused,
): Pairs {
  const othersSpawnIds = new Set(others.flatMap(({ spawnId }) => spawnId ?? []))
  const isStolen = pairs.spawnId !== undefined && othersSpawnIds.has(pairs.spawnId)
  const own: OwnLaunch = {
    name: runtimeName(context, sessionId),
    stateDir: context.paths.project(project.id).stateDir(sessionId),
    spawnId: isStolen ? undefined : pairs.spawnId,
    othersSpawnIds,
  }
  const handle = metadataToSession(sessionId, pairs).runtimeHandle
  const why = handle && foreignHandle(handle, own)
  if (!why && !isStolen) return pairs
  refused('runtime', why ?? 'its spawn id is that of another session')
  const { runtimeHandle: _handle, spawnId: _spawnId, ...rest } = pairs
  const spawnId = own.spawnId === undefined ? {} : { spawnId: own.spawnId }
  const started = startedHandle(context, project.id, sessionId)
  if (started === null || foreignHandle(started, own) !== null) return { ...rest, ...spawnId }
  return { ...rest, ...spawnId, runtimeHandle: JSON.stringify(started) }
}

/** Of the last start that the history tells of. */
function startedHandle(context: ManagerContext, projectId: string, sessionId: string): RuntimeHandle | null {
  const started = lastOf(context.store(projectId).paths, sessionId, 'runtime.started')
  return started?.type === 'runtime.started' ? started.handle : null
}

async function ownWorkspace(
  context: ManagerContext,
  project: ProjectConfig,
  sessionId: string,
  pairs: Pairs,
  others: Pairs[],
  refused: Refused,
): Promise<Pairs> {
  const { worktree } = pairs
  if (worktree === undefined || worktree === project.path) return pairs
  // A plugin that is missing is the trouble of whoever needs it; an agent can be stopped without.
  const workspace = await workspaceOf(context, project, pairs.workspace).catch(() => null)
  const othersPaths = new Set(others.flatMap((one) => (one.worktree === undefined ? [] : resolve(one.worktree))))
  const judge = (path: string) =>
    foreignWorkspace(sessionId, resolve(path), { markedFor: workspace?.ownerOf?.(path) ?? null, othersPaths })
  const why = judge(worktree)
  if (why === null) return pairs
  refused('workspace', why)
  const expected = workspace?.pathFor({ projectId: project.id, sessionId })
  const { worktree: _, ...rest } = pairs
  return expected !== undefined && judge(expected) === null ? { ...rest, worktree: expected } : rest
}

/** Of every project: a stolen handle may lead anywhere. */
function recordsOfOthers(context: ManagerContext, projectId: string, sessionId: string): Pairs[] {
  return projectIds(context).flatMap((id) => {
    const store = context.store(id)
    const others = store.list().filter((one) => id !== projectId || one !== sessionId)
    return others.map((one) => store.read(one)?.pairs ?? {})
  })
}
