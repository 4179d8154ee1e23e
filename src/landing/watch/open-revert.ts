// A pull request that takes a landed commit back. Made from git's objects, without a checkout; done twice it is the same.
import { AoError } from '../../contract/errors.ts'
import { openPull } from '../../forge/pulls/open-pull.ts'
import type { LocalPull } from '../../forge/pulls/pull-events.ts'
import type { LocalForge } from '../../forge/types.ts'
import { resolveRef } from '../../git/refs.ts'
import { gitOn, tryGitOn } from '../../git/repository.ts'
import { firstParent, treeOf } from '../train/build-cars.ts'

const IDENTITY = ['-c', 'user.name=ao', '-c', 'user.email=ao@localhost']

export interface RevertRequest {
  commit: string
  pull: LocalPull
  check: string
}

/** Throws PR_NOT_MERGEABLE when what came after it needs it. */
export async function openRevert(forge: LocalForge, { commit, pull, check }: RevertRequest): Promise<LocalPull> {
  const { defaultBranch } = forge.project
  const branch = `ao/revert-${pull.number}-${commit.slice(0, 8)}`
  const before = forge.pulls.list().find(({ head }) => head === branch)
  // A person closed it, or it has landed: that stands.
  if (before) return before
  const title = `Revert "${pull.title}"`
  if ((await resolveRef(forge.repository(), `refs/heads/${branch}`)) === null)
    await makeBranch(forge, { branch, commit, title })
  const body = `Takes back #${pull.number} (${commit}): since it landed, ${check} fails on ${defaultBranch}.`
  return (await openPull(forge, { title, body, head: branch })).pull
}

async function makeBranch(
  forge: LocalForge,
  { branch, commit, title }: { branch: string; commit: string; title: string },
): Promise<void> {
  const repository = forge.repository()
  const base = await resolveRef(repository, `refs/heads/${forge.project.defaultBranch}`)
  if (base === null) throw new AoError('GIT_FAILED', `there is no branch ${forge.project.defaultBranch}`)
  const commitTree = async (tree: string, parent: string, message: string) =>
    (await gitOn(repository, [...IDENTITY, 'commit-tree', tree, '-p', parent, '-m', message])).trim()
  // Two children of the commit, one with all that is there now, one with what was there before: merged, that is a revert.
  const now = await commitTree(await treeOf(forge, base), commit, 'now')
  const then = await commitTree(await treeOf(forge, await firstParent(forge, commit)), commit, 'then')
  const merged = await tryGitOn(repository, ['merge-tree', '--write-tree', '--name-only', '--no-messages', now, then])
  const [tree = '', ...files] = merged.stdout.split('\n').filter(Boolean)
  if (!merged.ok || tree === '')
    throw new AoError('PR_NOT_MERGEABLE', `${commit.slice(0, 10)} cannot be taken back alone: ${files.join(', ')}`)
  const revert = await commitTree(tree, base, `${title}\n\nThis reverts commit ${commit}.`)
  await gitOn(repository, ['update-ref', `refs/heads/${branch}`, revert, '0'.repeat(revert.length)])
}
