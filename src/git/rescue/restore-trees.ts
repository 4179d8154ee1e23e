// Restores a rescued working tree and index into a clean checkout.
import { AoError } from '../../contract/errors.ts'
import { gitFailure, lastLines } from '../git.ts'
import { type Checkout, gitIn, tryGitIn } from '../workspace/checkout.ts'
import type { Head } from './capture-trees.ts'
import { commitTree, type RescueParts, type StoredRescue } from './rescue-commit.ts'

/**
 * HEAD is the rescued one: files first, then the index separately, so that untracked stays untracked. `unborn`: it was on a
 * branch without a commit.
 */
export async function restoreTrees(
  checkout: Checkout,
  { parts, rescue, unborn }: { parts: RescueParts; rescue: StoredRescue; unborn: string | null },
): Promise<void> {
  await switchFiles(checkout, parts.workTree, rescue)
  if (unborn !== null) await gitIn(checkout, ['symbolic-ref', 'HEAD', unborn])
  await gitIn(checkout, ['read-tree', parts.index])
}

export interface MergeJob {
  parts: RescueParts
  head: Head
  rescue: StoredRescue
}

/**
 * HEAD has moved on: the changes are merged in memory first, and nothing is touched unless they apply. Resolves with the
 * merged tree.
 */
export async function mergeOnto(checkout: Checkout, { parts, head, rescue }: MergeJob): Promise<string> {
  const parents = [
    parts.head ?? (await commitTree(checkout, { tree: await emptyTree(checkout), parents: [], message: 'empty\n' })),
  ]
  // Two commits on top of the rescued HEAD, so that it is the merge base whatever happened to the branch.
  const ours = await commitTree(checkout, { tree: head.tree, parents, message: 'now\n' })
  const theirs = await commitTree(checkout, { tree: parts.workTree, parents, message: 'rescued\n' })
  const merged = await tryGitIn(checkout, ['merge-tree', '--write-tree', '--name-only', '--no-messages', ours, theirs])
  if (!merged.ok) throw doesNotFit(checkout, rescue, merged.exitCode === 1 ? merged.stdout : '')
  const tree = merged.stdout.trim()
  await switchFiles(checkout, tree, rescue)
  await gitIn(checkout, ['read-tree', 'HEAD'])
  return tree
}

/** From HEAD to the tree, as a checkout does: all of it, or nothing when a file is in the way. */
async function switchFiles(checkout: Checkout, tree: string, rescue: StoredRescue): Promise<void> {
  const args = ['read-tree', '-m', '-u', 'HEAD', tree]
  const result = await tryGitIn(checkout, args)
  if (result.ok) return
  if (!/would be overwritten|would lose|not uptodate|Cannot merge/.test(result.stderr)) {
    throw gitFailure(checkout.path, args, result)
  }
  throw inTheWay(checkout, rescue, lastLines(result.stderr))
}

export function inTheWay(checkout: Checkout, rescue: StoredRescue, what: string): AoError {
  const message = `The rescued work in ${rescue.ref} was not brought back: ${what}`
  return new AoError('RESCUE_CONFLICT', message, { hint: byHand(checkout, rescue), details: about(rescue, []) })
}

function byHand(checkout: Checkout, rescue: StoredRescue): string {
  return `Bring it in by hand: git -C '${checkout.path}' cherry-pick --no-commit -m 1 ${rescue.ref}`
}

function about(rescue: StoredRescue, conflicts: string[]): Record<string, unknown> {
  return { ref: rescue.ref, commit: rescue.commit, conflicts }
}

function doesNotFit(checkout: Checkout, rescue: StoredRescue, listing: string): AoError {
  const conflicts = listing
    .split('\n')
    .slice(1)
    .filter((line) => line !== '')
  const where = conflicts.length > 0 ? `: conflicts in ${conflicts.join(', ')}` : ''
  const message = `The branch moved on and the rescued work in ${rescue.ref} does not fit onto it${where}`
  return new AoError('RESCUE_CONFLICT', message, { hint: byHand(checkout, rescue), details: about(rescue, conflicts) })
}

async function emptyTree(checkout: Checkout): Promise<string> {
  return (await gitIn(checkout, ['mktree'], { input: '' })).trim()
}
