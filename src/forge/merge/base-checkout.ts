// The checkout that has the base branch: it must be clean before a merge moves the branch, and follows it afterwards.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { AoError } from '../../contract/errors.ts'
import { whereCheckedOut } from '../../git/checkouts.ts'
import { gitFailure, runGit, tryGit } from '../../git/git.ts'
import { locateGit } from '../../git/git-dir.ts'
import { contendedLock } from '../../git/git-locks.ts'
import { verified } from '../../git/vault/verified.ts'
import type { LocalForge } from '../types.ts'

export interface Move {
  from: string
  to: string
}

/** Nobody holds a lock of git for long: a killed git or a power loss has left it. */
export const LOCK_WAIT_MS = 3_000

const UNFINISHED = ['MERGE_HEAD', 'CHERRY_PICK_HEAD', 'REVERT_HEAD', 'rebase-merge', 'rebase-apply']

/** Where the branch is checked out and ready to follow; null: nowhere. Throws CHECKOUT_DIRTY with what is in the way. */
export async function requireCleanCheckout(
  forge: LocalForge,
  { branch, from, to }: Move & { branch: string },
): Promise<string | null> {
  const repository = forge.repository()
  const path = whereCheckedOut(repository, branch)
  if (path === null || path === repository.commonDir) return null
  const location = locateGit(path)
  // Registered but gone, or another repository's, to which a forged registration leads: there is nothing to update.
  if (location === null || location.commonDir !== repository.commonDir) return null
  const unfinished = UNFINISHED.find((name) => existsSync(join(location.gitDir, name)))
  if (unfinished !== undefined) throw dirty(path, branch, 'an operation of git is not finished there')
  const { env } = forge.context
  const changed = await runGit(path, ['status', '--porcelain', '--untracked-files=no', '--ignore-submodules=dirty'], {
    env,
  })
  if (changed.trim() !== '') throw dirty(path, branch, changed.trimEnd().split('\n').slice(0, 10).join(', '))
  // Also untracked files that the merge would overwrite.
  const args = ['read-tree', '-m', '-u', '--dry-run', from, to]
  const extraEnv = await verifiedObjects(forge, { from, to })
  const trial = await tryGit(path, args, { env, extraEnv, lockWaitMs: LOCK_WAIT_MS })
  if (trial.ok) return path
  if (contendedLock(trial) !== null) throw gitFailure(path, args, trial)
  if (trial.exitCode === 128) throw dirty(path, branch, trial.stderr.trim().split('\n')[0] ?? '')
  throw gitFailure(path, args, trial)
}

/** Index and files move from one commit to the other; unaffected files stay as they are. */
export async function followBranch(forge: LocalForge, path: string, { from, to }: Move): Promise<void> {
  const { env } = forge.context
  await tryGit(path, ['update-index', '-q', '--refresh'], { env })
  await runGit(path, ['read-tree', '-m', '-u', from, to], { env, extraEnv: await verifiedObjects(forge, { from, to }) })
}

/** The files get the bytes that were merged, whatever the repository has under their ids by now. */
export async function verifiedObjects(forge: LocalForge, { from, to }: Move) {
  const vault = await verified(forge.repository(), [from, to])
  return { GIT_OBJECT_DIRECTORY: join(vault.commonDir, 'objects') }
}

function dirty(path: string, branch: string, what: string): AoError {
  return new AoError('CHECKOUT_DIRTY', `${branch} is checked out in ${path} and not clean: ${what}`, {
    hint: `Commit or stash what is in ${path}, then merge again`,
    details: { path, branch },
  })
}
