// Restores the newest rescue of a session into its workspace: exactly as it was when HEAD is the same, merged when the
// branch has moved on, and not at all (naming the ref) when the two conflict. Only what was compared with the rescue counts
// as restored. The rescue itself is kept.

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { AoError } from '../../contract/errors.ts'
import { failpoint } from '../../lib/failpoint.ts'
import type { Rescue } from '../../slots/workspace.ts'
import { whereCheckedOut } from '../checkouts.ts'
import { withoutPrefix } from '../quoted-path.ts'
import { resolveRef } from '../repository.ts'
import { type Checkout, gitIn } from '../workspace/checkout.ts'
import { readRecord, updateRecord } from '../workspace/record.ts'
import { type Capture, captureTrees, type Head, readHead } from './capture-trees.ts'
import { hashAsTheyAre } from './exact-bytes.ts'
import { isSameRescue, type RescueParts, readRescueCommit, type StoredRescue, withScratch } from './rescue-commit.ts'
import type { LooseRef } from './rescue-state.ts'
import { below, listEntries, readList, restoreState } from './restore-state.ts'
import { inTheWay, mergeOnto, restoreTrees } from './restore-trees.ts'
import { collectParts } from './save-rescue.ts'
import { type Change, changesBetween } from './tree-changes.ts'

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
  // At the same commit, on another branch where the rescued one is in use: a fork begins so.
  await requireSameState(proof, { ...parts, headRef: unborn ?? head.ref })
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

// Proof that a rescue is restored in a workspace: its state is collected again, exactly as for saving it, and compared.

interface Proof {
  checkout: Checkout
  rescue: StoredRescue
  scratch: string
  /** The workspace before anything was restored. */
  before: Capture
}

/** HEAD was the rescued one: everything must be as it was. */
async function requireSameState(proof: Proof, parts: RescueParts): Promise<void> {
  const { checkout, before } = proof
  if (before.workTree !== before.head.tree) return requireSameFiles(proof, parts.workTree, null)
  const looseRefs = await readLooseRefs(checkout, parts)
  const now = await collectParts({ checkout, looseRefs }, freshScratch(proof))
  if (now !== null && isSameRescue(now, parts)) return
  const files = await changesBetween(checkout, parts.workTree, now?.workTree ?? before.head.tree)
  if (now !== null && (await differInFormOnly(checkout, { parts, now, files }))) return
  // A checkpoint of a clean worktree: nothing there would be saved again.
  if (now === null && files.length === 0 && parts.state === null) {
    const index = await gitIn(checkout, ['rev-parse', `${parts.index}^{tree}`], { read: true })
    if (index.trim() === before.head.tree) return
  }
  const staged = now?.index !== parts.index ? ['what was staged'] : []
  const state = now?.state !== parts.state ? ["files' exact bytes or the operation under way"] : []
  throw notTheSame(proof, [...files.map((one) => one.path), ...staged, ...state])
}

/**
 * A file that a filter changes is stored in one form when git had just staged it, and in another one when git has to read it again; with
 * a filter that ao does not run, the second form is the file itself. Its bytes are in the rescue as well, and these decide.
 */
async function differInFormOnly(
  checkout: Checkout,
  { parts, now, files }: { parts: RescueParts; now: RescueParts; files: Change[] },
): Promise<boolean> {
  if (now.headRef !== parts.headRef || now.head !== parts.head || now.index !== parts.index) return false
  const [saved, found] = await Promise.all([parts, now].map(({ state }) => splitState(checkout, state)))
  if (saved!.others !== found!.others) return false
  const isSaved = (path: string) => saved!.exact.has(path)
  if (
    !files.every(({ path, mode, oldMode }) => mode === oldMode && isSaved(path)) ||
    ![...found!.exact.keys()].every(isSaved)
  )
    return false
  const bytes = await hashAsTheyAre(checkout, [...saved!.exact.keys()])
  return [...saved!.exact.values()].every(({ id }, at) => id === bytes[at])
}

async function splitState(checkout: Checkout, state: string | null) {
  const entries = state === null ? [] : await listEntries(checkout, state)
  const exact = new Map(below(entries, 'exact/').map((entry) => [entry.path, entry]))
  const others = entries.filter(({ path }) => withoutPrefix('exact/', path) === null)
  return { exact, others: JSON.stringify(others) }
}

/** The branch moved on, or a hook left files of its own: the rescue's files must be present, whatever else is. */
async function requireSameFiles(proof: Proof, workTree: string, head: Head | null): Promise<void> {
  const { checkout, before } = proof
  const now = await captureTrees(checkout, freshScratch(proof))
  const carried = await changesBetween(checkout, before.head.tree, before.workTree)
  const expected = new Set(carried.map((one) => one.path))
  const different = (await changesBetween(checkout, workTree, now.workTree)).filter((one) => !expected.has(one.path))
  const staged = head !== null && now.indexTree !== head.tree ? ['what is staged'] : []
  if (different.length + staged.length > 0) throw notTheSame(proof, [...different.map((one) => one.path), ...staged])
}

async function readLooseRefs(checkout: Checkout, parts: RescueParts): Promise<LooseRef[]> {
  const entries = parts.state === null ? [] : await listEntries(checkout, parts.state)
  const lines = await readList(checkout, entries, 'refs')
  return lines.map((line) => ({ id: line.slice(0, line.indexOf(' ')), ref: line.slice(line.indexOf(' ') + 1) }))
}

function freshScratch({ scratch }: Proof): string {
  const fresh = join(scratch, 'proof')
  mkdirSync(fresh)
  return fresh
}

function notTheSame({ checkout, rescue }: Proof, what: string[]): AoError {
  const named = what.slice(0, 5).join(', ') + (what.length > 5 ? ` and ${what.length - 5} more` : '')
  const message = `The work saved in ${rescue.ref} did not come back exactly; different: ${named || 'its HEAD'}`
  return new AoError('WORKSPACE_FAILED', message, {
    hint: `It is still saved. Inspect it with: git show --stat ${rescue.ref}`,
    details: { path: checkout.path, ref: rescue.ref, different: what },
  })
}
