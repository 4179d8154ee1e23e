// A pull request that takes a landed commit back. Made from git's objects, without a checkout; done twice it is the same.
import { AoError } from '../../contract/errors.ts'
import { openPull } from '../../forge/pulls/open-pull.ts'
import type { LocalPull } from '../../forge/pulls/pull-events.ts'
import type { LocalForge } from '../../forge/types.ts'
import { gitOn, type Repository, resolveRef, tryGitOn } from '../../git/repository.ts'
import { firstParent, treeOf } from '../train/build-cars.ts'

const IDENTITY = ['-c', 'user.name=ao', '-c', 'user.email=ao@localhost']

export interface RevertRequest {
  commit: string
  pull: Pick<LocalPull, 'number' | 'title'>
  check: string
}

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

/** A commit on top of the base that reverts another one. Throws PR_NOT_MERGEABLE when what came after it needs it. */
export async function makeRevert(
  repository: Repository,
  { base, commit, title }: { base: string; commit: string; title: string },
): Promise<string> {
  const source = { repository: () => repository }
  const commitTree = async (tree: string, parent: string, message: string) =>
    (await gitOn(repository, [...IDENTITY, 'commit-tree', tree, '-p', parent, '-m', message])).trim()
  // Two children of the commit, one with all that is there now, one with what was there before: merged, that is a revert.
  const now = await commitTree(await treeOf(source, base), commit, 'now')
  const then = await commitTree(await treeOf(source, await firstParent(source, commit)), commit, 'then')
  const merged = await tryGitOn(repository, ['merge-tree', '--write-tree', '--name-only', '--no-messages', now, then])
  const [tree = '', ...files] = merged.stdout.split('\n').filter(Boolean)
  if (!merged.ok || tree === '')
    throw new AoError('PR_NOT_MERGEABLE', `${commit.slice(0, 10)} cannot be reverted alone: ${files.join(', ')}`)
  return commitTree(tree, base, `${title}\n\nThis reverts commit ${commit}.`)
}

export function revertText(
  { commit, pull, check }: { commit: string; pull: { number: number; title: string }; check: string },
  baseBranch: string,
): { branch: string; title: string; body: string } {
  return {
    branch: `ao/revert-${pull.number}-${commit.slice(0, 8)}`,
    title: `Revert "${pull.title}"`,
    body: `Reverts #${pull.number} (${commit}): since it landed, ${check} fails on ${baseBranch}.`,
  }
}
