// A session's record with only those claims that hold. An agent can write the file, and a person can edit it: what is ended
// or removed is decided from here, so that no session can be made to act on another one's agent or workspace.
import { resolve } from 'node:path'
import type { ProjectConfig } from '../contract/config.ts'
import { EMPTY_RECORD, type RecordChange, readRecord, type SessionRecord } from '../contract/record.ts'
import { changeRecord } from '../core/status/status-of-record.ts'
import type { StoredSession } from '../store/session/session-store.ts'
import { foreignHandle, type OwnLaunch, ownLaunch, startedHandle } from './active.ts'
import { type ManagerContext, projectIds, workspaceOf } from './context.ts'

/** What a record says, as text and typed. */
export type Claims = Pick<StoredSession, 'id' | 'pairs' | 'record'>

/** The record as it may be acted on: a foreign handle or workspace is replaced by the session's own, or left out. */
export async function ownRecord(
  context: ManagerContext,
  project: ProjectConfig,
  sessionId: string,
  stored: Claims,
): Promise<Claims> {
  const others = recordsOfOthers(context, project.id, sessionId)
  const refused = (what: string, why: string) =>
    context.log.warn(`the record of ${sessionId} names a ${what} that is not its own; ignoring it: ${why}`)
  const { record } = stored
  const change: RecordChange = {
    ...ownRuntime(context, project, sessionId, record, others, refused),
    ...(await ownWorkspace(context, project, sessionId, record, others, refused)),
  }
  if (Object.keys(change).length === 0) return stored
  const pairs = changeRecord(stored.pairs, change)
  return { id: sessionId, pairs, record: readRecord(pairs) }
}

type Refused = (what: string, why: string) => void

function ownRuntime(
  context: ManagerContext,
  project: ProjectConfig,
  sessionId: string,
  record: SessionRecord,
  others: SessionRecord[],
  refused: Refused,
): RecordChange {
  const othersSpawnIds = new Set(others.flatMap(({ spawnId }) => spawnId ?? []))
  const isStolen = record.spawnId !== undefined && othersSpawnIds.has(record.spawnId)
  const spawnId = isStolen ? undefined : record.spawnId
  const own = ownLaunch(context, project.id, { sessionId, spawnId, othersSpawnIds })
  const handle = record.runtimeHandle
  const why = handle && foreignHandle(handle, own)
  if (!handle && record.spawnId === undefined) return lostRuntime(context, project.id, sessionId, own)
  if (!why && !isStolen) return {}
  refused('runtime', why ?? 'its spawn id is that of another session')
  const started = startedHandle(context, project.id, sessionId)
  const isOwn = started !== null && foreignHandle(started, own) === null
  return { spawnId: own.spawnId ?? null, runtimeHandle: isOwn ? started : null }
}

/** A record that lost these keys with the rest of its content: the history still has the last start. */
function lostRuntime(context: ManagerContext, projectId: string, sessionId: string, own: OwnLaunch): RecordChange {
  const started = startedHandle(context, projectId, sessionId)
  if (started === null || foreignHandle(started, own) !== null) return {}
  return { runtimeHandle: started, runtime: started.runtimeName }
}

async function ownWorkspace(
  context: ManagerContext,
  project: ProjectConfig,
  sessionId: string,
  record: SessionRecord,
  others: SessionRecord[],
  refused: Refused,
): Promise<RecordChange> {
  const { worktree } = record
  if (worktree === project.path) return {}
  // A missing plugin is reported where it is needed; an agent can be stopped without it.
  const workspace = await workspaceOf(context, project, record.workspace).catch(() => null)
  const othersPaths = new Set(others.flatMap((one) => (one.worktree === undefined ? [] : resolve(one.worktree))))
  const judge = (path: string) =>
    foreignWorkspace(sessionId, resolve(path), { markedFor: workspace?.ownerOf?.(path) ?? null, othersPaths })
  const expected = workspace?.pathFor({ projectId: project.id, sessionId })
  if (worktree === undefined) {
    // Lost with the rest of the record: what is marked as this session's at its usual path is its own.
    const isMarked = expected !== undefined && workspace?.ownerOf?.(expected) === sessionId
    return isMarked && judge(expected) === null ? { worktree: expected } : {}
  }
  const why = judge(worktree)
  if (why === null) return {}
  refused('workspace', why)
  return { worktree: expected !== undefined && judge(expected) === null ? expected : null }
}

/** Of every project: a stolen handle may point anywhere. */
function recordsOfOthers(context: ManagerContext, projectId: string, sessionId: string): SessionRecord[] {
  return projectIds(context).flatMap((id) => {
    const store = context.store(id)
    const others = store.list().filter((one) => id !== projectId || one !== sessionId)
    return others.map((one) => store.read(one)?.record ?? EMPTY_RECORD)
  })
}

/** What is known of a workspace without trusting the session's record. */
interface OwnWorkspace {
  /** The owner according to the workspace's own mark; null when it has none. */
  markedFor: string | null
  /** The workspaces of all other sessions. */
  othersPaths: ReadonlySet<string>
}

export function foreignWorkspace(sessionId: string, path: string, own: OwnWorkspace): string | null {
  if (own.markedFor === sessionId) return null
  if (own.markedFor !== null) return `it was made for session ${own.markedFor}`
  if (own.othersPaths.has(path)) return 'it is the workspace of another session'
  return null
}
