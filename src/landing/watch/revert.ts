// A commit that takes a landed one back, made from git's objects, without a checkout.
import { AoError } from '../../contract/errors.ts'
import type { PullRef } from '../../contract/pull.ts'
import { gitOn, type Repository, tryGitOn } from '../../git/repository.ts'
import { firstParent, treeOf } from '../train/build-cars.ts'

const IDENTITY = ['-c', 'user.name=ao', '-c', 'user.email=ao@localhost']

export interface RevertRequest {
  commit: string
  pull: Pick<PullRef, 'number' | 'title'>
  check: string
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
  { commit, pull, check }: RevertRequest,
  baseBranch: string,
): { branch: string; title: string; body: string } {
  return {
    branch: `ao/revert-${pull.number}-${commit.slice(0, 8)}`,
    title: `Revert "${pull.title ?? `#${pull.number}`}"`,
    body: `Reverts #${pull.number} (${commit}): since it landed, ${check} fails on ${baseBranch}.`,
  }
}
