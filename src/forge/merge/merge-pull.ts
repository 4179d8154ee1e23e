// Merges exactly the commit that was reviewed, onto exactly the base that it was merged with, or not at all.
import { AoError, errorText } from '../../contract/errors.ts'
import type { MergeMethod } from '../../contract/forges.ts'
import { gitFailure } from '../../git/git.ts'
import { contendedLock } from '../../git/git-locks.ts'
import { gitOn, tryGitOn } from '../../git/repository.ts'
import { localAuthor } from '../../inside/local-author.ts'
import { makeMergeCommit } from '../../landing/make-merge-commit.ts'
import { failpoint } from '../../lib/failpoint.ts'
import { syncFileSystems } from '../../lib/sync-file-systems.ts'
import { closeIssues } from '../issues/close-issues.ts'
import { requireOpen } from '../pulls/change-pull.ts'
import { headRef } from '../pulls/keep-head.ts'
import { observePull } from '../pulls/observe-pulls.ts'
import type { LocalPull } from '../pulls/pull-events.ts'
import type { Append } from '../pulls/pull-store.ts'
import { type MergeConditions, mergeObstacle, type ObservedPull } from '../pulls/pull-view.ts'
import type { LocalForge } from '../types.ts'
import { followBranch, LOCK_WAIT_MS, type Move, requireCleanCheckout } from './base-checkout.ts'
import { settleMerge } from './settle-merge.ts'
import { verifyView } from './verify-view.ts'

export interface MergeOptions extends MergeConditions {
  method?: MergeMethod | undefined
  subject?: string | undefined
  body?: string | undefined
  /** Although the project has a train. Recorded with the merge. */
  pastTrain?: boolean | undefined
}

export interface MergeResult {
  commit: string
  method: MergeMethod
  /** What a person should know, such as a checkout that could not follow. */
  warnings: string[]
}

/** How often another process may move the base branch while we merge. */
const ATTEMPTS = 5

export function mergePull(forge: LocalForge, number: number, options: MergeOptions = {}): Promise<MergeResult> {
  return forge.pulls.change(number, async (found, append) => {
    const pull = await settleMerge(forge, found, append)
    requireOpen(pull)
    requireNoTrain(forge, pull, options)
    for (let attempt = 1; ; attempt++) {
      const view = await observePull(forge, pull)
      requireMergeable(view, options)
      await verifyView(forge, view)
      const result = await tryMerge(forge, view, { ...options, append })
      if (result !== null) return result
      if (attempt === ATTEMPTS) throw refuse(pull, `${pull.base} kept moving during the merge`)
    }
  })
}

/** However it was asked for: with a train nothing else moves the base branch by accident. */
function requireNoTrain({ project }: LocalForge, pull: LocalPull, { pastTrain }: MergeOptions): void {
  if (pastTrain || project.landing?.mode !== 'train' || pull.base !== project.defaultBranch) return
  throw refuse(pull, `${pull.base} moves by the train`, {
    hint: `Put it aboard: ao land add ${pull.number}; or merge it untested: ao pr merge ${pull.number} --skip-train`,
  })
}

function requireMergeable(view: ObservedPull, options: MergeOptions): void {
  const obstacle = mergeObstacle(view, options)
  if (obstacle !== null)
    throw refuse(view.stored, obstacle.why, obstacle.hint === undefined ? {} : { hint: obstacle.hint })
}

/** null: the base branch has moved meanwhile, so nothing was merged. */
async function tryMerge(
  forge: LocalForge,
  view: ObservedPull,
  options: MergeOptions & { append: Append },
): Promise<MergeResult | null> {
  const { stored: pull, headSha } = view
  const method = options.method ?? forge.options.merge
  const { subject, body, append, pastTrain } = options
  const commit = await makeMergeCommit(forge.repository(), {
    pull,
    head: headSha,
    base: view.baseSha!,
    method,
    subject,
    body,
  })
  return landCommit(forge, view, { commit, method, append, pastTrain })
}

interface Landing {
  commit: string
  method: MergeMethod
  append: Append
  pastTrain?: boolean | undefined
}

/**
 * Moves the base branch to a commit that was made on top of it. Only under the lock of the pull request. null: a branch
 * has moved meanwhile, so nothing was merged.
 */
export async function landCommit(
  forge: LocalForge,
  view: ObservedPull,
  { commit, method, append, pastTrain }: Landing,
): Promise<MergeResult | null> {
  const { stored: pull, headSha } = view
  const baseSha = view.baseSha!
  const by = localAuthor(forge.context.env)
  const checkout = await requireCleanCheckout(forge, { branch: pull.base, from: baseSha, to: commit })
  append(by, { type: 'merging', headSha, baseBefore: baseSha, commit, method, checkout, pastTrain })
  failpoint('merge.announced')
  if (!(await moveBase(forge, view, commit))) {
    append(by, { type: 'merge_abandoned', commit })
    return null
  }
  failpoint('merge.moved')
  const warnings = await bringCheckoutAlong(forge, checkout, { from: baseSha, to: commit })
  // Git syncs neither the files of the checkout nor what the agent committed.
  await syncFileSystems([forge.repository().commonDir, ...(checkout === null ? [] : [checkout])])
  failpoint('merge.followed')
  append(by, { type: 'merged', headSha, commit })
  failpoint('merge.recorded')
  return { commit, method, warnings: [...warnings, ...(await closeIssues(forge, pull, commit))] }
}

/** Both branches must still be where they were: then all refs move together. */
async function moveBase(
  forge: LocalForge,
  { stored: pull, headSha, baseSha }: ObservedPull,
  commit: string,
): Promise<boolean> {
  const repository = forge.repository()
  const branchIsThere = (await tryGitOn(repository, ['show-ref', '--verify', '--quiet', `refs/heads/${pull.head}`])).ok
  const lines = [
    'start',
    ...(branchIsThere ? [`verify refs/heads/${pull.head} ${headSha}`] : []),
    `update refs/heads/${pull.base} ${commit} ${baseSha}`,
    `update ${headRef(forge, pull.number)} ${headSha}`,
    'prepare',
    'commit',
  ]
  const message = `ao: merge pull request #${pull.number}`
  const args = ['update-ref', '-m', message, '--stdin']
  const result = await tryGitOn(repository, args, { input: `${lines.join('\n')}\n`, lockWaitMs: LOCK_WAIT_MS })
  if (result.ok) return true
  const now = (await gitOn(repository, ['rev-parse', `refs/heads/${pull.base}`], { read: true })).trim()
  // It may have been moved and only the response was lost.
  if (now === commit) return true
  // A lock that was left says nothing about who moved what.
  if (contendedLock(result) === null && /cannot lock ref|is at|expected/.test(result.stderr)) return false
  throw gitFailure(repository.commonDir, args, result)
}

async function bringCheckoutAlong(forge: LocalForge, checkout: string | null, move: Move): Promise<string[]> {
  if (checkout === null) return []
  try {
    await followBranch(forge, checkout, move)
    return []
  } catch (error) {
    // The merge is done; only files that were changed at this very moment are in the way.
    return [`${checkout} could not follow: ${errorText(error)}`]
  }
}

function refuse(pull: LocalPull, why: string, more: { hint?: string } = {}): AoError {
  return new AoError('PR_NOT_MERGEABLE', `Pull request ${pull.number} is not merged: ${why}`, {
    ...more,
    details: { number: pull.number, why },
  })
}
