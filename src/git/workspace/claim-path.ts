// Claims the path of a new workspace for us, or says why it is not available. Never removes what ao did not create.
import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { AoError } from '../../contract/errors.ts'
import { currentProcess, formatIdentity } from '../../lib/process/process-identity.ts'
import type { WorkspaceSpec } from '../../slots/workspace.ts'
import { locateGit } from '../git-dir.ts'
import type { Repository } from '../repository.ts'
import { createRecord, isBeingCreated, readRecord, type WorkspaceRecord } from './record.ts'

/** Removes what a crashed creation left, or git's data about a directory that is gone, and its record. */
export type RollBack = (path: string, record: WorkspaceRecord) => Promise<void>

/**
 * Clears what an earlier command left at the path, so that it blocks neither path nor branch. `isTaken`: this very process
 * may be creating something at a new session's path too.
 */
export async function clearAbandoned(path: string, rollBack: RollBack, isTaken = isBeingCreated): Promise<void> {
  const record = readRecord(path)
  if (record === null) return
  if (isTaken(record)) throw pathTaken(path, `process ${record.owner.split(':')[0]} is making a workspace there`)
  if (record.state === 'creating' || !isOccupied(path)) await rollBack(path, record)
}

/** From here on the path is ours, for other processes and after a crash. */
export function claimPath(path: string, record: WorkspaceRecord): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  if (isOccupied(path)) throw pathTaken(path, describeOccupant(path))
  if (!createRecord(path, record)) throw pathTaken(path, 'another process has just taken it')
}

export function newRecord(spec: WorkspaceSpec, repository: Repository, branchCreated: boolean): WorkspaceRecord {
  return {
    version: 1,
    sessionId: spec.sessionId,
    projectId: spec.projectId,
    repository: repository.commonDir,
    branch: spec.branch,
    branchCreated,
    state: 'creating',
    owner: formatIdentity(currentProcess()),
    spawnId: randomUUID(),
  }
}

/** For the manager: another session number will do. */
export function pathTaken(path: string, why: string): AoError {
  return new AoError('PATH_TAKEN', `The path ${path} is taken: ${why}`, { details: { path } })
}

function isOccupied(path: string): boolean {
  try {
    return readdirSync(path).length > 0
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    // A file, a broken link, an unreadable directory: in every case something is there.
    return true
  }
}

function describeOccupant(path: string): string {
  const location = locateGit(path)
  if (location?.linked) return `it is a worktree of ${location.commonDir}`
  if (location) return 'it is a repository of its own'
  return existsSync(path) ? 'it holds files that ao did not make' : 'it is a broken link'
}
