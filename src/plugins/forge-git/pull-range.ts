// The commits between which the change of a pull request is, in the project's repository. They are fetched once for each
// head: without the newest base branch a rebased change would look larger than it is.

import { AoError } from '../../contract/errors.ts'
import type { Pull } from '../../contract/pull.ts'
import { isSafeBranch } from '../../core/session/name-branch.ts'
import { hasCommit, openRepository, type Repository, tryGitOn } from '../../git/repository.ts'
import { readProjectRemote } from '../../git/transfer/project-remote.ts'

export interface RangeRequest {
  /** The project's checkout. */
  path: string
  env: NodeJS.ProcessEnv
  pull: Pick<Pull, 'pr' | 'headSha' | 'mergeCommit'>
  /** Where the forge keeps the head of every pull request. */
  headRef: string
}

const fetched = new Set<string>()
const MOST_FETCHED = 1_000

export async function pullRange({ path, env, pull, headRef }: RangeRequest): Promise<{ from: string; to: string }> {
  const repository = openRepository(path, env)
  const remote = (await readProjectRemote(path, env))?.name ?? null
  const key = `${repository.commonDir} ${pull.pr.url} ${pull.headSha} ${pull.mergeCommit ?? ''}`
  const isHere = await hasCommit(repository, pull.headSha)
  if (remote !== null && !(isHere && fetched.has(key))) {
    if (fetched.size >= MOST_FETCHED) fetched.clear()
    if (await fetchPull(repository, remote, { pull, headRef, isHere })) fetched.add(key)
  }
  const { pr, headSha, mergeCommit } = pull
  for (const base of basesOf(pr.baseBranch, remote, mergeCommit)) {
    const result = await tryGitOn(repository, ['merge-base', base, headSha], { read: true })
    if (result.ok) return { from: result.stdout.trim(), to: headSha }
  }
  throw new AoError('SCM_FAILED', `The commit ${headSha.slice(0, 10)} of ${pr.url} is not on this machine`, {
    hint: `Fetch it with git, or see it there: ${pr.url}`,
  })
}

/** A merged one is compared with the base as it was before. */
function basesOf(branch = '', remote: string | null, mergeCommit: string | null | undefined): string[] {
  if (mergeCommit) return [`${mergeCommit}^`]
  return [...(remote === null ? [] : [`refs/remotes/${remote}/${branch}`]), `refs/heads/${branch}`]
}

/** false: the forge could not be asked; what is here has to do. */
async function fetchPull(
  repository: Repository,
  remote: string,
  { pull, headRef, isHere }: { pull: RangeRequest['pull']; headRef: string; isHere: boolean },
): Promise<boolean> {
  const { branch = '', baseBranch = '' } = pull.pr
  const fetchRef = async (...refs: string[]) => {
    const args = ['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', '--', remote, ...refs]
    return (await tryGitOn(repository, args)).ok
  }
  const hasBase =
    !isSafeBranch(baseBranch) || (await fetchRef(`+refs/heads/${baseBranch}:refs/remotes/${remote}/${baseBranch}`))
  if (isHere) return hasBase
  // Not every server shows the refs of its pull requests.
  const hasHead = (await fetchRef(headRef)) || (isSafeBranch(branch) && (await fetchRef(`refs/heads/${branch}`)))
  return hasBase && hasHead
}
