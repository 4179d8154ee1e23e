// Removes worktrees: only what git or our own record confirms as ours, and never a main checkout.
import { existsSync, lstatSync, realpathSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { AoError } from '../../contract/errors.ts'
import { findRegistration, type Registration } from '../../git/checkouts.ts'
import { deleteBranchWithoutWork } from '../../git/delete-branch.ts'
import { gitFailure, lastLines } from '../../git/git.ts'
import { locateGit } from '../../git/git-dir.ts'
import { queueForRepository } from '../../git/git-locks.ts'
import { type Repository, tryGitOn } from '../../git/repository.ts'
import { isOccupied } from '../../git/workspace/claim-path.ts'
import {
  isBeingCreated,
  readMarker,
  readRecord,
  removeRecord,
  type WorkspaceRecord,
} from '../../git/workspace/record.ts'
import { moveToTrash } from '../../git/workspace/trash.ts'
import { failpoint } from '../../lib/failpoint.ts'
import { stopProcesses } from '../../lib/process/process-tree.ts'

const REMOVE_TIMEOUT_MS = 10 * 60_000

/** Idempotent: what is gone already is a success. */
export async function removeWorktree(path: string, base: string, env: NodeJS.ProcessEnv): Promise<void> {
  const record = readRecord(path)
  if (record !== null && isBeingCreated(record)) {
    throw refusal(path, `process ${record.owner.split(':')[0]} is making it`)
  }
  if (record?.state === 'creating' || (record !== null && !existsSync(path))) {
    return takeBackWorktree(path, record, env)
  }
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return
  const known = confirmOurs(path, base, env)
  if (known !== null) await removeRegistered(known.repository, path, known.registration)
  failpoint('worktree.destroy.removed')
  // Git did not know it, or could not delete all of it (files of another user): out of the way, but not gone.
  if (existsSync(path)) moveToTrash(path)
  const repository = known?.repository ?? repositoryOf(record, env)
  const left = repository && findRegistration(repository, path)
  if (repository && left) await forget(repository, left)
  removeRecord(path)
}

/** Removes what an unfinished creation left, its branch included, and forgets a worktree whose directory is gone. */
export async function takeBackWorktree(path: string, record: WorkspaceRecord, env: NodeJS.ProcessEnv): Promise<void> {
  const unfinished = record.state === 'creating'
  // The git that a killed process started goes on alone: let it end before its work is removed.
  if (unfinished) await stopProcesses(record.spawnId, [], { graceMs: 2_000 })
  const repository = repositoryOf(record, env)
  if (repository !== null && unfinished) await removeUnfinished(repository, path)
  if (repository !== null && !unfinished) await forgetMissingWorktree(repository, path)
  if (unfinished && isOccupied(path)) moveToTrash(path)
  if (unfinished && repository !== null && record.branchCreated) {
    await deleteBranchWithoutWork(repository, record.branch)
  }
  removeRecord(path)
}

async function removeUnfinished(repository: Repository, path: string): Promise<void> {
  await queueForRepository(repository.commonDir, async () => {
    const registration = findRegistration(repository, path)
    if (registration === null) return
    // Twice: an add that was killed leaves its worktree locked as "initializing".
    const args = ['worktree', 'remove', '--force', '--force', path]
    const removed = await tryGitOn(repository, args, { timeoutMs: REMOVE_TIMEOUT_MS, lockPatienceMs: 1_000 })
    // Killed so early that git itself cannot read its entry, which would make every other worktree command fail.
    if (!removed.ok) rmSync(registration.gitDir, { recursive: true, force: true })
  })
}

/** Makes git forget a worktree of ours whose directory is gone. false: not ours, locked, or its HEAD may hold commits. */
export async function forgetMissingWorktree(repository: Repository, path: string): Promise<boolean> {
  const registration = findRegistration(repository, path)
  if (registration === null) return true
  if (readMarker(registration.gitDir) === null || registration.branch === null) return false
  return forget(repository, registration)
}

async function forget(repository: Repository, registration: Registration): Promise<boolean> {
  if (existsSync(registration.path) || registration.locked !== null) return false
  const removed = await tryGitOn(repository, ['worktree', 'remove', '--force', registration.path])
  return removed.ok
}

async function removeRegistered(repository: Repository, path: string, registration: Registration): Promise<void> {
  if (registration.locked !== null) {
    const why = registration.locked ? `: ${registration.locked}` : ''
    throw refusal(path, `it is locked${why}`, `Unlock it with: git worktree unlock '${path}'`)
  }
  failpoint('worktree.destroy.started')
  const args = ['worktree', 'remove', '--force', registration.path]
  const removed = await queueForRepository(repository.commonDir, () =>
    tryGitOn(repository, args, { timeoutMs: REMOVE_TIMEOUT_MS }),
  )
  if (removed.ok) return
  // Past this point git has begun to delete and forgotten the worktree; before it, nothing has changed.
  if (findRegistration(repository, path) !== null && locateGit(path) !== null) {
    throw gitFailure(repository.commonDir, args, { ...removed, stderr: lastLines(removed.stderr) })
  }
}

interface Known {
  repository: Repository
  registration: Registration
}

/** The repository that confirms the worktree; null when only our record does. Throws when nothing does. */
function confirmOurs(path: string, base: string, env: NodeJS.ProcessEnv): Known | null {
  if (lstatSync(path).isSymbolicLink()) throw refusal(path, 'it is a symbolic link')
  const location = locateGit(path)
  if (location !== null && !location.linked) throw refusal(path, 'it is a main checkout, not a worktree')
  if (location !== null) {
    const repository = { commonDir: location.commonDir, env }
    const registration = findRegistration(repository, path)
    const ours = isBelow(path, base) || readMarker(location.gitDir) !== null
    if (registration !== null && ours) return { repository, registration }
    throw refusal(path, ours ? 'its repository does not know it' : `it does not lie below ${base}`)
  }
  if (readRecord(path) !== null) return null
  throw refusal(path, 'nothing confirms that ao made it', `Look at it, and remove it by hand: ${path}`)
}

/** `{base}/{project}/{session}` exactly, links in the base followed. */
function isBelow(path: string, base: string): boolean {
  if (!existsSync(base)) return false
  const parent = realpathSync(dirname(path))
  return dirname(parent) === realpathSync(base) && basename(path) !== ''
}

function repositoryOf(record: WorkspaceRecord | null, env: NodeJS.ProcessEnv): Repository | null {
  if (record === null || !existsSync(join(record.repository, 'HEAD'))) return null
  return { commonDir: record.repository, env }
}

function refusal(path: string, why: string, hint?: string): AoError {
  return new AoError('WORKSPACE_FAILED', `The worktree ${path} was not removed: ${why}`, {
    ...(hint === undefined ? {} : { hint }),
    details: { path },
  })
}
