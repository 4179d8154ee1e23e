// Does what a session's record names really belong to that session? The record is a file that its agent can write, so
// nothing is ended or removed on its word alone.
import type { RuntimeHandle } from '../../contract/session.ts'

/** What is known of a session's runtime without believing the handle. */
export interface OwnLaunch {
  /** `{hash}-{sessionId}`. */
  name: string
  stateDir: string
  /** The session's own start; undefined in records of old. */
  spawnId: string | undefined
  /** The starts of all other sessions. */
  othersSpawnIds: ReadonlySet<string>
}

/** null: it is the session's own. Otherwise why it is not. */
export function foreignHandle(handle: RuntimeHandle, own: OwnLaunch): string | null {
  if (handle.id !== own.name) return `it names ${handle.id}, not ${own.name}`
  const { spawnId, stateDir } = handle.data ?? {}
  if (typeof stateDir === 'string' && stateDir !== own.stateDir) return `its state directory is ${stateDir}`
  if (typeof spawnId !== 'string') return null
  if (own.othersSpawnIds.has(spawnId)) return 'it names the agent of another session'
  return own.spawnId === undefined || spawnId === own.spawnId ? null : 'it names another start than the record'
}

/** What is known of a workspace without believing the session's record. */
export interface OwnWorkspace {
  /** Whose the workspace's own mark says it is; null when it has none. */
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
