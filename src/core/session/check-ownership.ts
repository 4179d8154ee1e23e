// Does what a session's record names really belong to that session? Its agent can write the record file, so nothing is
// ended or removed on the record's authority alone.
import type { RuntimeHandle } from '../../contract/session.ts'

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

/** What is known of a workspace without trusting the session's record. */
export interface OwnWorkspace {
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
