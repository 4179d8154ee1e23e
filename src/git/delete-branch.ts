// Removes a branch only when nothing is lost: it is checked out nowhere and all of its commits are reachable elsewhere.
import { whereCheckedOut } from './checkouts.ts'
import { gitOn, type Repository, resolveRef, tryGitOn } from './repository.ts'

/** true: it is gone. false: it stays, because it holds something or is in use. */
export async function deleteBranchWithoutWork(repository: Repository, branch: string): Promise<boolean> {
  const ref = `refs/heads/${branch}`
  const tip = await resolveRef(repository, ref)
  if (tip === null) return true
  if (whereCheckedOut(repository, branch) !== null) return false
  // Another name of a branch: deleting it would delete that one.
  if ((await tryGitOn(repository, ['symbolic-ref', '--quiet', ref], { read: true })).ok) return false
  const others = ['--not', `--exclude=${branch}`, '--branches', '--remotes', '--tags']
  const own = await gitOn(repository, ['rev-list', '--max-count=1', tip, ...others], { read: true })
  if (own.trim() !== '') return false
  // Deletes it at exactly that commit or not at all.
  const deleted = await tryGitOn(repository, ['update-ref', '--no-deref', '-d', ref, tip])
  return deleted.ok
}
