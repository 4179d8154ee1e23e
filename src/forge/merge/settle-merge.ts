// A merge whose process died: whether the base branch was moved decides the outcome, and the record follows.
import { existsSync } from 'node:fs'
import { AoError, errorText } from '../../contract/errors.ts'
import { branchOf } from '../../git/checkouts.ts'
import { locateGit } from '../../git/git-dir.ts'
import { resolveRef } from '../../git/repository.ts'
import { localAuthor } from '../../inside/local-author.ts'
import { syncFileSystems } from '../../lib/sync-file-systems.ts'
import { closeIssues } from '../issues/close-issues.ts'
import { keepHead } from '../pulls/keep-head.ts'
import { observePull } from '../pulls/observe-pulls.ts'
import type { LocalPull } from '../pulls/pull-events.ts'
import type { Append } from '../pulls/pull-store.ts'
import type { LocalForge } from '../types.ts'

/** Only under the lock of the pull request, so that no merge is in progress. */
export async function settleMerge(forge: LocalForge, pull: LocalPull, append: Append): Promise<LocalPull> {
  if (pull.state !== 'open') return pull
  const by = pull.merging?.by ?? localAuthor(forge.context.env)
  const { state, headSha, baseSha } = await observePull(forge, pull)
  if (state !== 'merged')
    return pull.merging ? append(by, { type: 'merge_abandoned', commit: pull.merging.commit }) : pull
  if (!pull.merging) {
    await keepHead(forge, pull.number, headSha)
    return append(by, { type: 'merged', headSha, commit: baseSha! })
  }
  const { commit, checkout } = pull.merging
  await bringCheckoutAlong(forge, pull.merging, pull.base)
  // Whoever moved the branch may have died before doing so.
  await syncFileSystems([
    forge.repository().commonDir,
    ...(checkout !== null && existsSync(checkout) ? [checkout] : []),
  ])
  const merged = append(by, { type: 'merged', headSha: pull.merging.headSha, commit })
  for (const warning of await closeIssues(forge, pull, commit)) forge.context.log.warn(warning)
  return merged
}

async function bringCheckoutAlong(
  forge: LocalForge,
  merging: NonNullable<LocalPull['merging']>,
  base: string,
): Promise<void> {
  const { checkout, baseBefore, commit } = merging
  const location = checkout === null ? null : locateGit(checkout)
  if (checkout === null || location?.commonDir !== forge.repository().commonDir) return
  // Since then somebody has switched to another branch.
  if (branchOf(location.gitDir) !== base) return
  if ((await resolveRef(forge.repository(), `refs/heads/${base}`)) !== commit) return
  const { finishCheckout } = await import('./finish-checkout.ts')
  try {
    await finishCheckout(forge, checkout, { from: baseBefore, to: commit })
  } catch (error) {
    // It is brought along when the lock is gone: recorded as merged now, it would keep the files from before for good.
    if (error instanceof AoError && error.details.lock !== undefined) throw error
    forge.context.log.debug(`git status shows what is left to do in ${checkout}: ${errorText(error)}`)
  }
}
