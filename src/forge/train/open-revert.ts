// A pull request that takes a landed commit back. Made from git's objects, without a checkout; done twice it is the same.
import { AoError } from '../../contract/errors.ts'
import { gitOn, resolveRef } from '../../git/repository.ts'
import { makeRevert, type RevertRequest, revertText } from '../../landing/watch/revert.ts'
import { openPull } from '../pulls/open-pull.ts'
import type { LocalPull } from '../pulls/pull-events.ts'
import type { LocalForge } from '../types.ts'

/** Throws PR_NOT_MERGEABLE when what came after it needs it. */
export async function openRevert(forge: LocalForge, { commit, pull, check }: RevertRequest): Promise<LocalPull> {
  const { branch, title, body } = revertText({ commit, pull, check }, forge.project.defaultBranch)
  const before = forge.pulls.list().find(({ head }) => head === branch)
  // A person closed it, or it has landed: that stands.
  if (before) return before
  if ((await resolveRef(forge.repository(), `refs/heads/${branch}`)) === null)
    await makeBranch(forge, { branch, commit, title })
  return (await openPull(forge, { title, body, head: branch })).pull
}

async function makeBranch(
  forge: LocalForge,
  { branch, commit, title }: { branch: string; commit: string; title: string },
): Promise<void> {
  const repository = forge.repository()
  const base = await resolveRef(repository, `refs/heads/${forge.project.defaultBranch}`)
  if (base === null) throw new AoError('GIT_FAILED', `there is no branch ${forge.project.defaultBranch}`)
  const revert = await makeRevert(repository, { base, commit, title })
  await gitOn(repository, ['update-ref', `refs/heads/${branch}`, revert, '0'.repeat(revert.length)])
}
