// A worktree's directory that lost its `.git` file, or that its repository forgot (pruned, cloned anew): reconnected, so
// that its files can be saved or used. Anything that cannot be reconnected is refused and stays as it is.
import { existsSync, renameSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { AoError } from '../../contract/errors.ts'
import { findRegistration, listRegistrations, whereCheckedOut } from '../../git/checkouts.ts'
import { runGit } from '../../git/git.ts'
import { locateGit } from '../../git/git-dir.ts'
import { gitOn, type Repository, resolveRef, tryGitOn } from '../../git/repository.ts'
import { openRescue } from '../../git/rescue/rescue-commit.ts'
import { readRecord, updateRecord, type WorkspaceRecord, writeMarker } from '../../git/workspace/record.ts'
import { failpoint } from '../../lib/failpoint.ts'
import { removeTree } from '../../lib/remove.ts'
import { quarantine, type RemoveContext } from './remove-worktree.ts'

/** Does nothing when there is nothing at the path, or when it is intact. */
export async function repairWorktree(path: string, repository: Repository, context: RemoveContext): Promise<void> {
  if (!existsSync(path) || isSound(path, repository)) return
  const record = readRecord(path)
  if (record === null) throw refusal(path, 'nothing confirms that ao made it')
  const holder = locateGit(path)?.commonDir ?? record.repository
  if (holder !== repository.commonDir && existsSync(holder)) throw refusal(path, `it belongs to ${holder}`)
  // Saved and not restored since: this is what a removal left, and must not replace the saved work.
  if ((await openRescue(repository, record.sessionId)) !== null) return quarantine(path, record, context)
  const original = listRegistrations(repository).find((one) => one.gitDir === locateGit(path)?.gitDir)
  if (original && existsSync(original.path)) throw refusal(path, `it is a copy of ${original.path}`)
  if (!original && findRegistration(repository, path) === null) await register(path, repository, record)
  // It complains about the broken link that it repairs in the same run: success is verified, not assumed.
  await tryGitOn(repository, ['worktree', 'repair', path])
  if (!isSound(path, repository)) throw refusal(path, 'git could not repair it')
  updateRecord(path, { ...record, repository: repository.commonDir })
}

function isSound(path: string, repository: Repository): boolean {
  const location = locateGit(path)
  return location?.commonDir === repository.commonDir && findRegistration(repository, path)?.gitDir === location.gitDir
}

/** Creates a new entry for it on its branch. Staged changes are lost with the old entry; the files are unchanged. */
async function register(path: string, repository: Repository, record: WorkspaceRecord): Promise<void> {
  const link = join(path, '.git')
  if (statSync(link, { throwIfNoEntry: false })?.isDirectory()) throw refusal(path, 'it is a repository of its own')
  const { branch } = record
  if ((await resolveRef(repository, `refs/heads/${branch}`)) === null) {
    throw refusal(path, `the branch ${branch} is not in ${repository.commonDir}`)
  }
  // Next to it, because git creates worktrees in empty directories only.
  const temporary = join(dirname(path), `.${basename(path)}.repair`)
  if (findRegistration(repository, temporary)) await tryGitOn(repository, ['worktree', 'remove', '-f', '-f', temporary])
  removeTree(temporary)
  const taken = whereCheckedOut(repository, branch)
  if (taken !== null) throw refusal(path, `its branch ${branch} is checked out in ${taken}`)
  await gitOn(repository, ['worktree', 'add', '--quiet', '--no-checkout', temporary, branch])
  await runGit(temporary, ['read-tree', 'HEAD'], { env: repository.env })
  failpoint('worktree.repair.registered')
  renameSync(join(temporary, '.git'), link)
  removeTree(temporary)
  failpoint('worktree.repair.linked')
  writeMarker(locateGit(path)!.gitDir, record)
}

function refusal(path: string, why: string): AoError {
  const message = `${path} is no longer a worktree that git knows, and it cannot be connected again: ${why}`
  return new AoError('WORKSPACE_NOT_SAVED', message, {
    hint: `Nothing was removed. Move it away, then try again: mv '${path}' '${path}.kept'`,
    details: { path },
  })
}
