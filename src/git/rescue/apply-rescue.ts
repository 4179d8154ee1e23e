// Restores the newest rescue of a session into its workspace: exactly as it was when HEAD is the same, merged when the
// branch has moved on, and not at all (naming the ref) when the two conflict. Only what was compared with the rescue counts
// as restored. The rescue itself is kept.
import { failpoint } from '../../lib/failpoint.ts'
import type { Rescue } from '../../slots/workspace.ts'
import { whereCheckedOut } from '../checkouts.ts'
import { resolveRef } from '../repository.ts'
import { type Checkout, gitIn, withScratch } from '../workspace/checkout.ts'
import { readRecord, updateRecord } from '../workspace/record.ts'
import { type Capture, captureTrees, type Head, readHead } from './capture-trees.ts'
import { type RescueParts, readRescueCommit } from './rescue-commit.ts'
import type { StoredRescue } from './rescue-refs.ts'
import { restoreState } from './restore-state.ts'
import { inTheWay, mergeOnto, restoreTrees } from './restore-trees.ts'
import { requireSameFiles, requireSameState } from './verify-rescue.ts'

export interface ApplyRequest {
  checkout: Checkout
  rescue: StoredRescue
}

export async function applyRescue({ checkout, rescue }: ApplyRequest): Promise<Rescue> {
  const parts = await readRescueCommit(checkout, rescue.commit)
  await withScratch(checkout, async (scratch) => {
    const now = await captureTrees(checkout, scratch)
    if (now.indexTree !== now.head.tree || now.unmerged.length > 0) {
      throw inTheWay(checkout, rescue, 'there are staged changes')
    }
    failpoint('rescue.apply.started')
    await applyParts({ checkout, rescue, parts, now, scratch })
  })
  failpoint('rescue.apply.done')
  noteApplied(checkout.path, rescue)
  return { ref: rescue.ref, commit: rescue.commit }
}

interface Application extends ApplyRequest {
  parts: RescueParts
  /** The workspace before. */
  now: Capture
  scratch: string
}

async function applyParts({ checkout, rescue, parts, now, scratch }: Application): Promise<void> {
  const proof = { checkout, rescue, scratch, before: now }
  const head = await standOnRescuedHead(checkout, parts, now.head)
  const unborn = await unbornBranch(checkout, parts)
  if (unborn === null && (head.commit === null || head.commit !== parts.head)) {
    const tree = await mergeOnto(checkout, { parts, head, rescue })
    failpoint('rescue.apply.merged')
    return requireSameFiles(proof, tree, head)
  }
  await restoreTrees(checkout, { parts, rescue, unborn })
  failpoint('rescue.apply.trees')
  await restoreState(checkout, parts, scratch)
  failpoint('rescue.apply.state')
  await requireSameState(proof, parts)
}

/** The unborn branch that the agent was on, if it still has no commit. */
async function unbornBranch(checkout: Checkout, { head, headRef }: RescueParts): Promise<string | null> {
  if (head !== null || headRef === null) return null
  return (await resolveRef(checkout, headRef)) === null ? headRef : null
}

/** Settled when the whole restore is complete (keep-restored.ts). */
function noteApplied(path: string, rescue: StoredRescue): void {
  const record = readRecord(path)
  if (record !== null) updateRecord(path, { ...record, settles: rescue.commit })
}

/** The agent may have been on another branch than the one the workspace was created for, or on none. */
async function standOnRescuedHead(checkout: Checkout, parts: RescueParts, head: Head): Promise<Head> {
  if (parts.head === null) return head
  const quietly = ['-c', 'advice.detachedHead=false', 'checkout', '--quiet']
  if (parts.headRef === null) {
    if (head.ref !== null || head.commit !== parts.head) await gitIn(checkout, [...quietly, '--detach', parts.head])
    return readHead(checkout)
  }
  if (parts.headRef === head.ref) return head
  const branch = parts.headRef.replace(/^refs\/heads\//, '')
  const tip = await resolveRef(checkout, parts.headRef)
  // It has moved on or is in use: the work is merged into the current HEAD.
  if (tip !== null && (tip !== parts.head || whereCheckedOut(checkout, branch) !== null)) return head
  await gitIn(checkout, tip === null ? [...quietly, '-b', branch, parts.head] : [...quietly, branch, '--'])
  return readHead(checkout)
}
