// What people do to pull requests from the page: the same functions as `ao pr …`, followed by a notice to all pages.
import type { PullReview } from '../../contract/dashboard/answers.ts'
import { AoError } from '../../contract/errors.ts'
import { closePull, type NewReview, reviewPull } from '../../forge/pulls/change-pull.ts'
import { toPrInfo } from '../../forge/pulls/find-pull.ts'
import type { LocalForge } from '../../forge/types.ts'
import { mergeOrBoard } from '../../landing/train/merge-or-board.ts'
import { ignoreFailure } from '../../lib/ignore-failure.ts'
import { mergeOrBoard as mergeRemote } from '../../manager/attend/merge-or-board.ts'
import { replyInThread, resolveThread, type ThreadTarget } from '../../manager/attend/review-threads.ts'
import type { ExpectedMerge } from '../../slots/scm.ts'
import { notePullStatus } from '../../store/session/note-pull-status.ts'
import type { DashboardContext } from '../server/context.ts'
import { forgetPulls, type KnownPull, noteState, type PullReading } from './pull-reading.ts'

export interface PullTarget {
  context: DashboardContext
  reading: PullReading
  known: KnownPull
}

export async function review(target: PullTarget, given: NewReview): Promise<PullReview> {
  const { forge, number } = requireLocal(target)
  const pull = await publishing(target, () => reviewPull(forge, number, given))
  const { id, author, state, body, commit, submittedAt } = pull.reviews.at(-1)!
  return { id, author, state, body, commit, submittedAt }
}

export async function resolve(
  target: PullTarget,
  { commentId, resolved }: { commentId: string; resolved: boolean },
): Promise<void> {
  await publishing(target, () => resolveThread(threadTarget(target), { thread: commentId, resolved }))
}

export async function reply(target: PullTarget, { thread, body }: { thread: string; body: string }): Promise<void> {
  const writer = { kind: 'person' } as const
  await publishing(target, () => replyInThread(threadTarget(target), { thread, body, writer }))
}

export function threadTarget({ reading, known }: PullTarget): ThreadTarget {
  const { scm, project } = reading
  const pr = known.kind === 'local' ? toPrInfo(known.view.pull, project.id) : known.snapshot.pr
  return { scm, project, pr }
}

/** Exactly this head. */
export function merge(
  target: PullTarget,
  { sha, method }: ExpectedMerge,
): Promise<{ commit: string | null; boarded: boolean; warnings: string[] }> {
  const { context, known, reading } = target
  return publishing(target, async () => {
    if (known.kind === 'remote') {
      const { pr } = known.snapshot
      requireSlot(reading, 'mergePR')
      const { project, scm } = reading
      const { commit, boarded = false } = await mergeRemote(context, {
        project,
        scm: scm!,
        pr,
        expected: { sha, method },
      })
      if (!boarded) noteState(context, reading.project.id, { url: pr.url, state: 'merged' })
      return { commit, boarded, warnings: [] }
    }
    const { pull } = known.view
    const outcome = await mergeOrBoard(reading.forge!, pull.number, { expected: sha, method })
    if (outcome.kind === 'boarded') return { commit: null, boarded: true, warnings: [] }
    const { commit, warnings } = outcome
    const { sessionId } = known
    if (sessionId !== null) {
      await ignoreFailure(`the record of ${sessionId} was not updated`, context.log, () =>
        notePullStatus(context.store(reading.project.id), { sessionId, url: pull.url, status: 'merged' }),
      )
    }
    return { commit, boarded: false, warnings }
  })
}

export function close(target: PullTarget): Promise<void> {
  const { context, known, reading } = target
  return publishing(target, async () => {
    if (known.kind === 'local') {
      await closePull(reading.forge!, known.view.pull.number)
      return
    }
    const { pr } = known.snapshot
    await requireSlot(reading, 'closePR')(pr, reading.project)
    noteState(context, reading.project.id, { url: pr.url, state: 'closed' })
  })
}

/** The loop ticks immediately, pages fetch again. Also after a failure: something may have been done before it. */
export async function publishing<T>({ context, reading, known }: PullTarget, work: () => Promise<T>): Promise<T> {
  const { id } = reading.project
  try {
    return await work()
  } finally {
    forgetPulls(context, id)
    context.loop?.askForge(id)
    // A page may show those of all projects.
    context.board.publishStale({ what: 'pulls' })
    if (known.sessionId !== null) context.board.touch(known.sessionId)
  }
}

function requireLocal({ reading, known }: PullTarget): { forge: LocalForge; number: number } {
  if (known.kind === 'local') return { forge: reading.forge!, number: known.view.pull.number }
  throw new AoError('SCM_FAILED', `The pull requests of project ${reading.project.id} are not kept by ao`, {
    hint: `Review it on its own page: ${known.snapshot.pr.url}`,
  })
}

function requireSlot<K extends 'mergePR' | 'closePR'>({ scm }: PullReading, ability: K) {
  const method = scm?.[ability]
  if (method) return method.bind(scm) as NonNullable<typeof method>
  throw new AoError('SCM_FAILED', `The forge ${scm?.name ?? '(none)'} cannot do this from here`)
}
