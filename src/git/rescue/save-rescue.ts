// Saves everything in a checkout that its removal would lose, as a commit under refs/ao/rescue. All of it or an error: the
// user's files and index are only read.

import { join } from 'node:path'
import { AoError, errorText } from '../../contract/errors.ts'
import { failpoint } from '../../lib/failpoint.ts'
import { readIfThere } from '../../lib/plain-file.ts'
import type { Rescue } from '../../slots/workspace.ts'
import type { Repository } from '../repository.ts'
import type { Checkout } from '../workspace/checkout.ts'
import { readMarker } from '../workspace/record.ts'
import { captureTrees, type Head } from './capture-trees.ts'
import { refuseUnsavedRepositories } from './nested-repositories.ts'
import {
  commitTree,
  FIXED_DATE,
  isSameRescue,
  listRescues,
  type RescueParts,
  readRescueCommit,
  rescueRef,
  withScratch,
  writeRescueCommit,
} from './rescue-commit.ts'
import { type LooseRef, saveState } from './rescue-state.ts'
import { clearRescueLocks } from './stale-locks.ts'
import { changesBetween } from './tree-changes.ts'

export interface RescueRequest {
  checkout: Checkout
  sessionId: string
  /** The repository that remains and keeps the rescue. */
  store: Repository
  /** Points `ref` in the store to the commit, which so far only the checkout's repository has. */
  publish: (ref: string, commit: string) => Promise<void>
  /** Refs that only this checkout's repository has. */
  looseRefs?: LooseRef[]
}

/** null: there is nothing to save. */
export async function saveRescue(request: RescueRequest): Promise<Rescue | null> {
  try {
    return await withScratch(request.checkout, (scratch) => save(request, scratch))
  } catch (error) {
    if (error instanceof AoError && error.code === 'WORKSPACE_NOT_SAVED') throw error
    const message = `The work in ${request.checkout.path} could not be saved: ${errorText(error)}`
    throw new AoError('WORKSPACE_NOT_SAVED', message, { cause: error, details: { path: request.checkout.path } })
  }
}

async function save(request: RescueRequest, scratch: string): Promise<Rescue | null> {
  const { checkout, sessionId, store } = request
  const parts = await collectParts(request, scratch)
  if (parts === null) return null
  failpoint('rescue.save.collected')
  await clearRescueLocks(store, sessionId)
  const before = (await listRescues(store, sessionId)).at(-1)
  // A command repeated after a crash finds what it saved. A rescue that was restored since must be saved anew.
  if (before && !before.settled && isSameRescue(parts, await readRescueCommit(store, before.commit))) {
    return { ref: before.ref, commit: before.commit }
  }
  const commit = await writeRescueCommit(checkout, sessionId, parts)
  failpoint('rescue.save.committed')
  const number = (before?.number ?? 0) + 1
  const ref = rescueRef(sessionId, number)
  await request.publish(ref, commit)
  failpoint('rescue.save.published')
  return { ref, commit }
}

/** Everything in a checkout that a rescue keeps. null: there is nothing. */
export async function collectParts(
  { checkout, looseRefs = [] }: Pick<RescueRequest, 'checkout' | 'looseRefs'>,
  scratch: string,
): Promise<RescueParts | null> {
  const capture = await captureTrees(checkout, scratch)
  const { head, indexTree, workTree, gitlinks } = capture
  refuseDeletedBranch(checkout, head)
  const changes = await changesBetween(checkout, head.tree, workTree)
  await refuseUnsavedRepositories(checkout, { changes, gitlinks })
  const state = await saveState({ checkout, scratch, capture, changes, looseRefs })
  const isClean = workTree === head.tree && indexTree === head.tree
  // A branch keeps its own commits reachable; a detached HEAD may be the only reference to its commits.
  if (isClean && state === null && head.ref !== null) return null
  const parents = head.commit === null ? [] : [head.commit]
  const index = await commitTree(checkout, { tree: indexTree, parents, message: 'Staged state\n', date: FIXED_DATE })
  return { workTree, headRef: head.ref, head: head.commit, index, state }
}

// HEAD may point to a branch that was deleted under it. To git that looks like an unborn branch, but there are commits, and
// perhaps nothing else references them.

/** Throws when the branch that HEAD points to is gone. An unborn one is fine. */
function refuseDeletedBranch(checkout: Checkout, head: Head): void {
  if (head.commit !== null || head.ref === null) return
  const branch = head.ref.replace(/^refs\/heads\//, '')
  const log = readIfThere(join(checkout.gitDir, 'logs', 'HEAD')) ?? ''
  // A deletion made here is logged as a line of its own, with the null commit.
  const last = [...log.matchAll(/^\S+ ((?!0+ )[0-9a-f]+) /gm)].at(-1)?.[1]
  // `checkout --orphan` leaves no line: the last branch in the log is then another one.
  const stoodOn = [...log.matchAll(/\tcheckout: moving from \S+ to (\S+)$/gm)].at(-1)?.[1]
  if (last === undefined || (stoodOn ?? readMarker(checkout.gitDir)?.branch) !== branch) return
  throw new AoError('WORKSPACE_NOT_SAVED', `The branch ${branch} of ${checkout.path} was deleted under it`, {
    hint: `Nothing was removed. Make it again at its last commit: git -C '${checkout.path}' branch ${branch} ${last}`,
    details: { path: checkout.path, branch, commit: last },
  })
}
