// Takes the path of a new workspace for us, or says why it cannot be had. Never removes what ao did not make.
import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { AoError } from '../../contract/errors.ts'
import { locateGit } from '../../lib/git-dir.ts'
import { currentProcess, formatIdentity } from '../../lib/process-identity.ts'
import type { WorkspaceSpec } from '../../slots/workspace.ts'
import { createRecord, isBeingCreated, readRecord, type WorkspaceRecord } from './record.ts'
import type { Repository } from './repository.ts'

export interface ClaimOptions {
  path: string
  record: WorkspaceRecord
  /** Removes what a crashed creation left, or what git still knows of a directory that is gone, and its record. */
  takeBack: (path: string, record: WorkspaceRecord) => Promise<void>
}

export async function claimPath(options: ClaimOptions): Promise<void> {
  const { path, record, takeBack } = options
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const before = readRecord(path)
  if (before !== null) {
    if (isBeingCreated(before))
      throw pathTaken(path, `process ${before.owner.split(':')[0]} is making a workspace there`)
    if (before.state === 'creating' || !isOccupied(path)) await takeBack(path, before)
  }
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

/** `details.pathTaken` tells the manager that another session number will do. */
export function pathTaken(path: string, why: string): AoError {
  return new AoError('WORKSPACE_FAILED', `The path ${path} is taken: ${why}`, {
    hint: 'Nothing was changed there. Spawn again, or move what is there away',
    details: { path, pathTaken: true },
  })
}

export function isOccupied(path: string): boolean {
  try {
    return readdirSync(path).length > 0
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    // A file, a broken link, a directory that we may not read: in every case something is there.
    return true
  }
}

function describeOccupant(path: string): string {
  const location = locateGit(path)
  if (location?.linked) return `it is a worktree of ${location.commonDir}`
  if (location) return 'it is a repository of its own'
  return existsSync(path) ? 'it holds files that ao did not make' : 'it is a broken link'
}
