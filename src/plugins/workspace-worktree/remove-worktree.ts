// Removes worktrees: only what git or our own record confirms as ours, and never a main checkout.
import { randomUUID } from 'node:crypto'
import { existsSync, lstatSync, realpathSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { AoError } from '../../contract/errors.ts'
import { findRegistration, type Registration, tornRegistrations } from '../../git/checkouts.ts'
import { deleteBranchWithoutWork } from '../../git/delete-branch.ts'
import { locateGit } from '../../git/git-dir.ts'
import { queueForRepository } from '../../git/git-locks.ts'
import { type Repository, tryGitOn } from '../../git/repository.ts'
import { clearBranchLock } from '../../git/rescue/stale-locks.ts'
import { endCreation } from '../../git/workspace/own-git.ts'
import {
  isMadeElsewhere,
  readMarker,
  readRecord,
  removeRecord,
  type WorkspaceRecord,
} from '../../git/workspace/record.ts'
import { isMovedAway, removeDirectory } from '../../git/workspace/remove-directory.ts'
import { moveToTrash } from '../../git/workspace/trash.ts'
import { failpoint } from '../../lib/failpoint.ts'
import type { Log } from '../../lib/log.ts'
import { currentProcess, formatIdentity } from '../../lib/process/process-identity.ts'
import { removeTree } from '../../lib/remove.ts'

/** Idempotent: what is already gone is a success. Everything worth keeping was saved before (snapshot). */
export async function removeWorktree(path: string, base: string, context: RemoveContext): Promise<void> {
  if (await rollBackWorktree(path, context)) return
  const record = readRecord(path)
  if (record !== null && (!existsSync(path) || isMovedAway(record))) return clearWorktree(path, record, context)
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return
  const confirmed = confirmOurs(path, base, context.env)
  if (confirmed === null) return quarantine(path, record!, context)
  requireUnlocked(path, confirmed.registration)
  failpoint('worktree.destroy.started')
  await removeSaved(path, record ?? recordOf(path, confirmed), context)
}

export interface RemoveContext {
  env: NodeJS.ProcessEnv
  log: Log
}

/** Removes what an unfinished creation or restore left, including its branch. false: there is nothing unfinished. */
export async function rollBackWorktree(path: string, context: RemoveContext): Promise<boolean> {
  const record = readRecord(path)
  if (record?.state !== 'creating') return false
  if (isMadeElsewhere(record)) throw refusal(path, `process ${record.owner.split(':')[0]} is making it`)
  await endCreation(path, record)
  const repository = repositoryOf(record, context.env)
  const forget = async () => {
    if (repository === null) return
    await forgetUnfinished(repository, path)
    if (!record.branchCreated) return
    await clearBranchLock(repository, record.branch)
    await deleteBranchWithoutWork(repository, record.branch)
  }
  await removeDirectory({ path, record, forget, onLeft: (what) => context.log.warn(what) })
  return true
}

/** Clears what an earlier command left of a worktree that is no longer at its path. */
export async function clearWorktree(path: string, record: WorkspaceRecord, context: RemoveContext): Promise<void> {
  if (record.state === 'creating') return void (await rollBackWorktree(path, context))
  if (record.state === 'removing') return removeSaved(path, record, context)
  // Somebody deleted the directory. Nothing was saved, so git forgets it only when its branch contains everything.
  const repository = repositoryOf(record, context.env)
  if (repository !== null) await forgetMissingWorktree(repository, path)
  removeRecord(path)
}

/** Removes a worktree whose work is saved, or continues an interrupted removal. */
async function removeSaved(path: string, record: WorkspaceRecord, context: RemoveContext): Promise<void> {
  const repository = repositoryOf(record, context.env)
  const forget = async () => {
    const left = repository && findRegistration(repository, path)
    if (repository && left) await forgetRegistration(repository, left)
  }
  const removing: WorkspaceRecord = { ...record, state: 'removing' }
  await removeDirectory({ path, record: removing, forget, onLeft: (what) => context.log.warn(what) })
}

/** Only our record says that it is ours; git cannot say what is in it. It is moved to the trash and kept for a week. */
export async function quarantine(path: string, record: WorkspaceRecord, context: RemoveContext): Promise<void> {
  context.log.warn(`${path} is no longer a git worktree; it was moved to ${moveToTrash(path)}`)
  const repository = repositoryOf(record, context.env)
  const left = repository && findRegistration(repository, path)
  if (repository && left) await forgetRegistration(repository, left)
  removeRecord(path)
}

async function forgetUnfinished(repository: Repository, path: string): Promise<void> {
  await queueForRepository(repository.commonDir, async () => {
    for (const torn of tornRegistrations(repository, basename(path))) removeTree(torn)
    const registration = findRegistration(repository, path)
    if (registration === null) return
    // Twice: a killed add leaves its worktree locked as "initializing".
    const args = ['worktree', 'remove', '--force', '--force', path]
    const removed = await tryGitOn(repository, args, { lockWaitMs: 1_000 })
    // Killed so early that git itself cannot read its entry, which would make every other worktree command fail.
    if (!removed.ok) removeTree(registration.gitDir)
  })
}

/** Makes git forget a worktree of ours whose directory is gone. false: not ours, locked, or its HEAD may hold commits. */
export async function forgetMissingWorktree(repository: Repository, path: string): Promise<boolean> {
  const registration = findRegistration(repository, path)
  if (registration === null) return true
  if (readMarker(registration.gitDir) === null || registration.branch === null) return false
  return forgetRegistration(repository, registration)
}

async function forgetRegistration(repository: Repository, registration: Registration): Promise<boolean> {
  if (existsSync(registration.path) || registration.locked !== null) return false
  const removed = await tryGitOn(repository, ['worktree', 'remove', '--force', registration.path])
  return removed.ok
}

function requireUnlocked(path: string, registration: Registration): void {
  if (registration.locked === null) return
  const why = registration.locked ? `: ${registration.locked}` : ''
  throw refusal(path, `it is locked${why}`, `Unlock it with: git worktree unlock '${path}'`)
}

/** For a worktree from before there were records. */
function recordOf(path: string, { repository, registration }: Confirmed): WorkspaceRecord {
  const marker = readMarker(registration.gitDir)
  return {
    version: 1,
    sessionId: basename(path),
    projectId: basename(dirname(path)),
    repository: repository.commonDir,
    branch: registration.branch ?? marker?.branch ?? '',
    branchCreated: false,
    state: 'ready',
    owner: formatIdentity(currentProcess()),
    spawnId: marker?.spawnId ?? randomUUID(),
  }
}

interface Confirmed {
  repository: Repository
  registration: Registration
}

/** The repository that confirms the worktree; null when only our record does. Throws when nothing does. */
function confirmOurs(path: string, base: string, env: NodeJS.ProcessEnv): Confirmed | null {
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
    hint,
    details: { path },
  })
}
