// HEAD may point to a branch that was deleted under it. To git that looks like an unborn branch, but there are commits, and
// perhaps nothing else references them.
import { join } from 'node:path'
import { AoError } from '../../contract/errors.ts'
import { readIfThere } from '../../lib/plain-file.ts'
import type { Checkout } from '../workspace/checkout.ts'
import { readMarker } from '../workspace/record.ts'
import type { Head } from './capture-trees.ts'

/** Throws when the branch that HEAD points to is gone. An unborn one is fine. */
export function refuseDeletedBranch(checkout: Checkout, head: Head): void {
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
