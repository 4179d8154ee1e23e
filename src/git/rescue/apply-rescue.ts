// Brings the newest rescued state of a session back into its workspace: exactly as it was when HEAD is the same, merged
// when the branch moved on, and not at all (with the ref's name) when the two do not fit. The rescue itself is kept.
import { rmSync } from 'node:fs'
import { AoError } from '../../contract/errors.ts'
import { failpoint } from '../../lib/failpoint.ts'
import type { Rescue } from '../../slots/workspace.ts'
import { whereCheckedOut } from '../checkouts.ts'
import { resolveRef } from '../refs.ts'
import type { Repository } from '../repository.ts'
import { type Checkout, fileOf, gitIn, withScratch } from '../workspace/checkout.ts'
import { type Capture, captureTrees, type Head, readHead } from './capture-trees.ts'
import { type RescueParts, readRescueCommit } from './rescue-commit.ts'
import { type StoredRescue, settleUpTo } from './rescue-refs.ts'
import { restoreState } from './restore-state.ts'
import { inTheWay, mergeOnto, restoreTrees } from './restore-trees.ts'
import { clearRestoring, isRestoring, setRestoring } from './restoring-mark.ts'
import { changesBetween } from './tree-changes.ts'

export interface ApplyRequest {
  checkout: Checkout
  sessionId: string
  rescue: StoredRescue
  /** The repository that keeps the rescues. */
  store: Repository
}

export async function applyRescue(request: ApplyRequest): Promise<Rescue> {
  const { checkout, rescue, store, sessionId } = request
  const parts = await readRescueCommit(checkout, rescue.commit)
  await withScratch(checkout, async (scratch) => {
    const now = await captureTrees(checkout, scratch)
    if (!(await isThereAlready(checkout, parts, now))) await bringBack({ ...request, scratch }, parts, now)
  })
  failpoint('rescue.apply.done')
  await settleUpTo(store, sessionId, rescue)
  clearRestoring(checkout.gitDir)
  return { ref: rescue.ref, commit: rescue.commit }
}

async function bringBack(request: ApplyRequest & { scratch: string }, parts: RescueParts, now: Capture): Promise<void> {
  const { checkout, rescue } = request
  await makeRoom(request, parts, now)
  setRestoring(checkout.gitDir, rescue.commit)
  failpoint('rescue.apply.started')
  const head = await standOnRescuedHead(checkout, parts, now.head)
  try {
    if (head.commit === null || head.commit !== parts.head) return await mergeOnto(checkout, { parts, head, rescue })
    await restoreTrees(checkout, { parts, rescue })
  } catch (error) {
    // Refused before anything was changed: there is nothing to continue.
    if (error instanceof AoError && error.details.untouched === true) clearRestoring(checkout.gitDir)
    throw error
  }
  failpoint('rescue.apply.trees')
  await restoreState(checkout, parts, request.scratch)
}

/** Already brought back, perhaps by a command that crashed before it could say so. */
async function isThereAlready(checkout: Checkout, parts: RescueParts, now: Capture): Promise<boolean> {
  if (isRestoring(checkout.gitDir)) return false
  if (now.head.ref !== parts.headRef || now.head.commit !== parts.head || now.workTree !== parts.workTree) return false
  const staged = (await gitIn(checkout, ['rev-parse', `${parts.index}^{tree}`], { read: true })).trim()
  return staged === now.indexTree
}

/** Takes half of an interrupted restore back. Other changes stay as long as git can carry them along. */
async function makeRoom(request: ApplyRequest, parts: RescueParts, now: Capture): Promise<void> {
  const { checkout, rescue } = request
  const isStaged = now.indexTree !== now.head.tree || now.unmerged.length > 0
  const changes = await changesBetween(checkout, now.head.tree, now.workTree)
  if (!isStaged && changes.length === 0) return
  const fromRescue = isRestoring(checkout.gitDir) ? await pathsOfRescue(checkout, parts, now.head) : new Set<string>()
  if (changes.every((change) => fromRescue.has(change.path)) && fromRescue.size > 0) {
    await gitIn(checkout, ['read-tree', '--reset', '-u', 'HEAD'])
    const added = changes.filter((change) => change.oldMode === '000000')
    for (const { path } of added) rmSync(fileOf(checkout, path), { force: true })
    return
  }
  if (isStaged) throw inTheWay(checkout, rescue, 'there are staged changes')
}

async function pathsOfRescue(checkout: Checkout, parts: RescueParts, head: Head): Promise<Set<string>> {
  const base = parts.head ?? head.tree
  const changes = [
    ...(await changesBetween(checkout, base, parts.workTree)),
    ...(await changesBetween(checkout, head.tree, base)),
  ]
  return new Set(changes.map((change) => change.path))
}

/** The agent may have been on another branch, or on none, than the one the workspace was made for. */
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
  // It moved on or is in use: the work is merged into where we are.
  if (tip !== null && (tip !== parts.head || whereCheckedOut(checkout, branch) !== null)) return head
  await gitIn(checkout, tip === null ? [...quietly, '-b', branch, parts.head] : [...quietly, branch, '--'])
  return readHead(checkout)
}
