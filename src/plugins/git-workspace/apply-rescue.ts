// Brings the newest rescued state of a session back into its workspace: exactly as it was when HEAD is the same, merged
// when the branch moved on, and not at all (with the ref's name) when the two do not fit. The rescue itself is kept.
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { AoError } from '../../contract/errors.ts'
import { writeFileAtomic } from '../../lib/atomic-write.ts'
import { failpoint } from '../../lib/failpoint.ts'
import type { Rescue } from '../../slots/workspace.ts'
import { type Capture, captureTrees, type Head, readHead } from './capture-trees.ts'
import { type Checkout, gitIn, withScratch } from './checkout.ts'
import { whereCheckedOut } from './checkouts.ts'
import { unquotePath } from './quoted-path.ts'
import { resolveRef } from './refs.ts'
import type { Repository } from './repository.ts'
import { type RescueParts, readRescueCommit } from './rescue-commit.ts'
import { type StoredRescue, settleRescue } from './rescue-refs.ts'
import { restoreState } from './restore-state.ts'
import { mergeOnto, restoreTrees } from './restore-trees.ts'
import { changesBetween } from './tree-changes.ts'

export interface ApplyRequest {
  checkout: Checkout
  sessionId: string
  rescue: StoredRescue
  /** The repository that keeps the rescues. */
  store: Repository
}

/** In the git directory while a rescue is being brought back: a crash in between is continued, not refused. */
const RESTORING = 'ao-restoring'

export async function applyRescue(request: ApplyRequest): Promise<Rescue> {
  const { checkout, rescue } = request
  const parts = await readRescueCommit(checkout, rescue.commit)
  await withScratch(checkout, async (scratch) => {
    const now = await captureTrees(checkout, scratch)
    if (!(await isThereAlready(checkout, parts, now))) await bringBack({ ...request, scratch }, parts, now)
  })
  await settleRescue(request.store, request.sessionId, rescue)
  rmSync(join(checkout.gitDir, RESTORING), { force: true })
  return { ref: rescue.ref, commit: rescue.commit }
}

async function bringBack(request: ApplyRequest & { scratch: string }, parts: RescueParts, now: Capture): Promise<void> {
  const { checkout, rescue } = request
  if (!isClean(now)) await clearInterrupted(request, parts, now)
  writeFileAtomic(join(checkout.gitDir, RESTORING), rescue.commit)
  failpoint('rescue.apply.started')
  const head = await standOnRescuedHead(checkout, parts, now.head)
  try {
    if (head.commit === null || head.commit !== parts.head) return await mergeOnto(checkout, { parts, head, rescue })
    await restoreTrees(checkout, parts)
  } catch (error) {
    // Refused before anything was changed: there is nothing to continue.
    if (error instanceof AoError && error.details.untouched === true) rmSync(join(checkout.gitDir, RESTORING))
    throw error
  }
  failpoint('rescue.apply.trees')
  await restoreState(checkout, parts, request.scratch)
}

function isClean(now: Capture): boolean {
  return now.workTree === now.head.tree && now.indexTree === now.head.tree && now.unmerged.length === 0
}

/** Already brought back, perhaps by a command that crashed before it could say so. */
async function isThereAlready(checkout: Checkout, parts: RescueParts, now: Capture): Promise<boolean> {
  if (existsSync(join(checkout.gitDir, RESTORING))) return false
  if (now.head.ref !== parts.headRef || now.head.commit !== parts.head || now.workTree !== parts.workTree) return false
  const staged = (await gitIn(checkout, ['rev-parse', `${parts.index}^{tree}`], { read: true })).trim()
  return staged === now.indexTree
}

/** Takes half of a restore back. What the rescue does not hold is somebody's work and stops us. */
async function clearInterrupted(request: ApplyRequest, parts: RescueParts, now: Capture): Promise<void> {
  const { checkout, rescue } = request
  const marker = join(checkout.gitDir, RESTORING)
  const interrupted = existsSync(marker) && readFileSync(marker, 'utf8') === rescue.commit
  const changes = await changesBetween(checkout, now.head.tree, now.workTree)
  const fromRescue = interrupted ? await pathsOfRescue(checkout, parts, now.head) : new Set<string>()
  if (changes.some((change) => !fromRescue.has(change.path)) || !interrupted) {
    throw new AoError(
      'WORKSPACE_FAILED',
      `${checkout.path} has changes of its own; the rescued work stays in ${rescue.ref}`,
      {
        hint: `Commit them, then: git -C '${checkout.path}' cherry-pick --no-commit -m 1 ${rescue.ref}`,
        details: { ref: rescue.ref, commit: rescue.commit, path: checkout.path },
      },
    )
  }
  await gitIn(checkout, ['read-tree', '--reset', '-u', 'HEAD'])
  const added = changes.filter((change) => change.oldMode === '000000')
  for (const { path } of added)
    rmSync(Buffer.concat([Buffer.from(`${checkout.path}/`), unquotePath(path)]), { force: true })
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
