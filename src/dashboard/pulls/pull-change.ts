// What people do to pull requests from the page: the same functions as `ao pr …`, followed by a notice to all pages.
import type { PullReview } from '../../contract/dashboard/answers.ts'
import { AoError } from '../../contract/errors.ts'
import { mergePull } from '../../landing/merge.ts'
import { type PullTarget as ForgeTarget, requireAbility } from '../../landing/read-pull.ts'
import { reviewPull } from '../../manager/pulls/change-pull.ts'
import { mergeContext } from '../../manager/pulls/merge-context.ts'
import { replyInThread, resolveThread } from '../../manager/pulls/review-threads.ts'
import type { ExpectedMerge, NewReview } from '../../slots/scm.ts'
import type { DashboardContext } from '../server/context.ts'
import { forgetPulls, noteState, type PullReading, type ReadPull } from './pull-reading.ts'
import { toReview } from './pull-rows.ts'

export interface PullTarget {
  context: DashboardContext
  reading: PullReading
  read: ReadPull
}

export async function review(target: PullTarget, given: NewReview): Promise<PullReview> {
  return toReview(await publishing(target, () => reviewPull(forgeTarget(target), given)))
}

export async function resolve(
  target: PullTarget,
  { commentId, resolved }: { commentId: string; resolved: boolean },
): Promise<void> {
  await publishing(target, () => resolveThread(forgeTarget(target), { thread: commentId, resolved }))
}

export async function reply(target: PullTarget, { thread, body }: { thread: string; body: string }): Promise<void> {
  const writer = { kind: 'person' } as const
  await publishing(target, () => replyInThread(forgeTarget(target), { thread, body, writer }))
}

export function forgeTarget({ reading, read }: PullTarget): ForgeTarget {
  const { scm, project } = reading
  if (scm !== null) return { scm, project, pr: read.pull.pr }
  throw new AoError('SCM_FAILED', `Project ${project.id} has no forge`)
}

/** Exactly this head. */
export function merge(
  target: PullTarget,
  { sha: head, method }: ExpectedMerge,
): Promise<{ commit: string | null; boarded: boolean; warnings: string[] }> {
  const { context, read } = target
  return publishing(target, async () => {
    const order = { ...forgeTarget(target), head, method, sessionId: read.sessionId }
    const { commit, boarded, warnings } = await mergePull(mergeContext(context, order.project, order.scm), order)
    if (!boarded) noteState(context, order.project.id, { url: order.pr.url, state: 'merged' })
    return { commit, boarded, warnings }
  })
}

export function rerun(target: PullTarget): Promise<void> {
  return publishing(target, async () => {
    const { scm, project, pr } = forgeTarget(target)
    await requireAbility({ scm, pr }, 'rerunChecks')(target.read.pull, project)
  })
}

export function close(target: PullTarget): Promise<void> {
  return publishing(target, async () => {
    const { scm, project, pr } = forgeTarget(target)
    await requireAbility({ scm, pr }, 'closePR')(pr, project)
    noteState(target.context, project.id, { url: pr.url, state: 'closed' })
  })
}

/** The loop ticks immediately, pages fetch again. Also after a failure: something may have been done before it. */
export async function publishing<T>({ context, reading, read }: PullTarget, work: () => Promise<T>): Promise<T> {
  const { id } = reading.project
  try {
    return await work()
  } finally {
    forgetPulls(context, id)
    context.loop?.askForge(id)
    // A page may show those of all projects.
    context.board.publishStale({ what: 'pulls' })
    if (read.sessionId !== null) context.board.touch(read.sessionId)
  }
}
