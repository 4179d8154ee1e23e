// What killed processes left among ao's own files of a project: locks, scratch and half-written files, and private
// directories of sessions that never existed. Each is proven to be unowned before it is offered for removal.
import { existsSync, lstatSync, readdirSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { isSafeName } from '../contract/ids.ts'
import { findHalfWritten } from '../lib/atomic-write.ts'
import { withLock } from '../lib/lock.ts'
import { parseIdentity, processState } from '../lib/process/process-identity.ts'
import { removeFile, removeTree } from '../lib/remove.ts'
import type { Leftover } from '../slots/workspace.ts'
import type { SessionStore } from './session/session-store.ts'

export function findStoreLeftovers(store: SessionStore, alsoIn: string[]): Leftover[] {
  const { paths } = store
  const state = join(paths.dir, 'state')
  // The directories first: a session created meanwhile has its record before its directory.
  const withState = names(state)
  const { dir, sessions, archive, history, feedback, imports } = paths
  const directories = [dir, sessions, archive, history, feedback, imports, ...alsoIn]
  return [
    ...findLocks(store),
    ...[...directories, ...withState.map((id) => join(state, id))].flatMap(halfWrittenIn),
    ...findStrayState(store, state, withState),
  ]
}

/** Harmless where the session exists, since the next command takes them over; nothing else ever removes them. */
function findLocks(store: SessionStore): Leftover[] {
  const { locks } = store.paths
  return names(locks).flatMap((name): Leftover[] => {
    const path = join(locks, name)
    const beside = /^(.*)\.(scratch|break|(?:ticket|turn)\.\d+)\.([^.]+)$/.exec(name)
    if (beside) {
      const [, lock, kind, owner] = beside
      // A right to break a lock is void once that lock is gone; until then whoever breaks it removes the right.
      const isVoid = kind !== 'break' || (linkTarget(join(locks, lock!)) === null && isDead(linkTarget(path)))
      if (!isVoid || !isDead(owner!)) return []
      return [{ path, what: 'unfinished file of a killed process', remove: async () => removeFile(path) }]
    }
    const owner = linkTarget(path)
    if (!isDead(owner)) return []
    // Acquiring it is the only way to break it that two processes cannot both succeed at.
    const remove = () => withLock(path, () => undefined, { timeoutMs: 1_000 })
    return [{ path, what: 'lock of a killed process', remove }]
  })
}

function halfWrittenIn(directory: string): Leftover[] {
  if (!existsSync(directory)) return []
  return findHalfWritten(directory).map((path) => {
    return { path, what: 'half-written file of a killed process', remove: async () => removeFile(path) }
  })
}

function findStrayState(store: SessionStore, state: string, ids: string[]): Leftover[] {
  if (ids.length === 0) return []
  // An import writes them before the record, and is settled as a whole.
  const importing = new Set(names(store.paths.imports))
  const recorded = new Set([...store.list(), ...store.listArchived().map(({ id }) => id)])
  return ids
    .filter((id) => isSafeName(id) && !recorded.has(id) && !importing.has(`${id}.json`) && !isOnRecord(store, id))
    .map((id) => {
      const path = join(state, id)
      const remove = async () => removeTree(path)
      return { path, what: 'private files of a session that was never made', remove }
    })
}

/** Anything where its record should be, and any agent in its history, counts as a session. */
function isOnRecord(store: SessionStore, id: string): boolean {
  if (lstatSync(store.paths.sessionFile(id), { throwIfNoEntry: false }) !== undefined) return true
  return store.readHistory(id).events.some(({ type }) => type === 'runtime.started')
}

function isDead(owner: string | null): boolean {
  const identity = parseIdentity(owner ?? '')
  return identity !== null && processState(identity) === 'dead'
}

function linkTarget(path: string): string | null {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ? readlinkSync(path) : null
}

function names(directory: string): string[] {
  try {
    return readdirSync(directory)
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    if (code === 'ENOENT' || code === 'ENOTDIR') return []
    throw error
  }
}
