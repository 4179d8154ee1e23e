// The commits between which the change of a pull request is. Its base branch is asked of the remote, once for each head: a ref of this
// repository is whatever an agent last wrote there, and could leave out of a review what lands.

import { AoError } from '../../contract/errors.ts'
import type { Pull } from '../../contract/pull.ts'
import { gitOn, openRepository } from '../../git/repository.ts'
import { readProjectRemote } from '../../git/transfer/project-remote.ts'
import { verified } from '../../git/vault/verified.ts'
import { ensureCommit, fetchTip, type Remote, startOfChange } from '../../landing/hosted/remote-branches.ts'

export interface RangeRequest {
  /** The project's checkout. */
  path: string
  env: NodeJS.ProcessEnv
  pull: Pick<Pull, 'pr' | 'headSha' | 'mergeCommit'>
  /** Where the forge keeps the head of every pull request. */
  headRef: string
}

/** By repository and pull request, with its head and base branch. */
const bases = new Map<string, string>()
const MOST_BASES = 1_000

export async function pullRange({ path, env, pull, headRef }: RangeRequest): Promise<{ from: string; to: string }> {
  const { pr, headSha } = pull
  const repository = openRepository(path, env)
  const name = (await readProjectRemote(path, env))?.name
  if (name === undefined)
    throw new AoError('SCM_FAILED', `${path} has no remote, so what ${pr.url} changes cannot be compared`, {
      hint: `Add the repository of ${pr.url}: git -C '${path}' remote add origin <url>`,
    })
  const remote = { repository, name }
  if (!(await ensureCommit(remote, headSha, pr.branch, headRef)))
    throw new AoError('SCM_FAILED', `The commit ${headSha.slice(0, 10)} of ${pr.url} is not on this machine`, {
      hint: `Fetch it with git, or see it there: ${pr.url}`,
    })
  const base = await baseOf(remote, pull)
  const from = await startOfChange(repository, { base, head: headSha })
  if (from !== null) return { from, to: headSha }
  throw new AoError('SCM_FAILED', `${pr.url} has no commit in common with ${pr.baseBranch ?? base}`)
}

/** A merged one is compared with the base as it was before. */
async function baseOf(remote: Remote, { pr, headSha, mergeCommit }: RangeRequest['pull']): Promise<string> {
  const { baseBranch = '', url } = pr
  const key = [remote.repository.commonDir, url, headSha, baseBranch, mergeCommit ?? ''].join('\n')
  const before = bases.get(key)
  if (before !== undefined) return before
  const base = mergeCommit ? await parentOf(remote, mergeCommit, baseBranch) : await fetchTip(remote, baseBranch)
  if (bases.size >= MOST_BASES) bases.clear()
  bases.set(key, base)
  return base
}

async function parentOf(remote: Remote, commit: string, branch: string): Promise<string> {
  if (await ensureCommit(remote, commit, branch)) {
    const vault = await verified(remote.repository, [commit])
    return (await gitOn(vault, ['rev-parse', '--verify', `${commit}^`], { read: true })).trim()
  }
  throw new AoError('SCM_FAILED', `The merge ${commit.slice(0, 10)} is not on this machine`, {
    hint: `Fetch ${branch} with git, then try again`,
  })
}
