// Removes clones that ao made. The rename comes first: whatever happens after it, the path is free and nothing is half.
import { lstatSync, rmSync } from 'node:fs'
import { basename } from 'node:path'
import { AoError, errorText } from '../../contract/errors.ts'
import { locateGit } from '../../git/git-dir.ts'
import { isBeingCreated, readMarker, readRecord, removeRecord } from '../../git/workspace/record.ts'
import { moveToTrash } from '../../git/workspace/trash.ts'
import { failpoint } from '../../lib/failpoint.ts'
import type { Log } from '../../lib/log.ts'
import { takeBackClone } from './add-clone.ts'

/** Idempotent: what is gone already is a success. */
export async function removeClone(path: string, log: Log): Promise<void> {
  const record = readRecord(path)
  if (record !== null && isBeingCreated(record)) {
    throw refusal(path, `process ${record.owner.split(':')[0]} is making it`)
  }
  if (record?.state === 'creating') return takeBackClone(path, record)
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return removeRecord(path)
  confirmOurs(path)
  failpoint('clone.destroy.started')
  const trash = moveToTrash(path)
  failpoint('clone.destroy.moved')
  removeRecord(path)
  try {
    rmSync(trash, { recursive: true, force: true })
  } catch (error) {
    log.warn(`${trash} could not be removed completely`, { error: errorText(error) })
  }
}

function confirmOurs(path: string): void {
  if (lstatSync(path).isSymbolicLink()) throw refusal(path, 'it is a symbolic link')
  const location = locateGit(path)
  if (location?.linked) throw refusal(path, 'it is a worktree, not a clone')
  const marker = location && readMarker(location.gitDir)
  if (marker?.sessionId === basename(path)) return
  if (location === null && readRecord(path) !== null) return
  throw refusal(path, 'nothing in it says that ao made it')
}

function refusal(path: string, why: string): AoError {
  return new AoError('WORKSPACE_FAILED', `The clone ${path} was not removed: ${why}`, {
    hint: `Look at it, and remove it by hand: ${path}`,
    details: { path },
  })
}
