// Removes clones that ao created. The rename comes first: whatever happens after it, the path is free and nothing is
// half-done.
import { lstatSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { AoError } from '../../contract/errors.ts'
import { locateGit } from '../../git/git-dir.ts'
import { endCreation } from '../../git/workspace/own-git.ts'
import {
  isMadeElsewhere,
  pathTaken,
  readMarker,
  readRecord,
  removeRecord,
  type WorkspaceRecord,
} from '../../git/workspace/record.ts'
import { isMovedAway, removeDirectory } from '../../git/workspace/remove-directory.ts'
import { failpoint } from '../../lib/failpoint.ts'
import type { Log } from '../../lib/log.ts'

/** Idempotent: what is already gone is a success. Everything worth keeping was saved before (snapshot). */
export async function removeClone(path: string, log: Log): Promise<void> {
  if (await rollBackClone(path, log)) return
  const record = readRecord(path)
  const isThere = lstatSync(path, { throwIfNoEntry: false }) !== undefined
  if (record !== null && (!isThere || isMovedAway(record))) return clearClone(path, record, log)
  if (!isThere) return
  const marker = confirmOurs(path)
  failpoint('clone.destroy.started')
  await removeSaved(path, record ?? marker, log)
}

/** Clears what an earlier command left of a clone that is no longer at its path. */
export async function clearClone(path: string, record: WorkspaceRecord, log: Log): Promise<void> {
  if (record.state === 'creating') return void (await rollBackClone(path, log))
  if (record.state === 'removing') return removeSaved(path, record, log)
  removeRecord(path)
}

function removeSaved(path: string, record: WorkspaceRecord, log: Log): Promise<void> {
  const removing: WorkspaceRecord = { ...record, state: 'removing' }
  return removeDirectory({ path, record: removing, forget: async () => undefined, onLeft: (what) => log.warn(what) })
}

function confirmOurs(path: string): WorkspaceRecord {
  if (lstatSync(path).isSymbolicLink()) throw refusal(path, 'it is a symbolic link')
  const location = locateGit(path)
  if (location?.linked) throw refusal(path, 'it is a worktree, not a clone')
  const marker = location && readMarker(location.gitDir)
  if (marker?.sessionId === basename(path)) return marker
  const record = readRecord(path)
  if (location === null && record !== null) return record
  throw refusal(path, 'nothing in it says that ao made it')
}

function refusal(path: string, why: string): AoError {
  return new AoError('WORKSPACE_FAILED', `The clone ${path} was not removed: ${why}`, {
    hint: `Look at it, and remove it by hand: ${path}`,
    details: { path },
  })
}

/** Removes what an unfinished creation or restore left. false: there is nothing unfinished. */
export async function rollBackClone(path: string, log: Log): Promise<boolean> {
  const record = readRecord(path)
  if (record?.state !== 'creating') return false
  if (isMadeElsewhere(record))
    throw pathTaken(path, `process ${record.owner.split(':')[0]} is making a workspace there`)
  await endCreation(path, record)
  // Nothing of it is in the project's repository.
  const forget = () => rm(growingPath(path), { recursive: true, force: true })
  await removeDirectory({ path, record, forget, onLeft: (what) => log.warn(what) })
  return true
}

/** Where it is built. */
export function growingPath(path: string): string {
  return join(dirname(path), `.${basename(path)}.growing`)
}
