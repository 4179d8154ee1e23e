// Reviewers end with their review: what became of it is written down first, then the session is removed.
import type { ProjectConfig } from '../../contract/config.ts'
import type { ReviewSubject } from '../../contract/pull.ts'
import { recordOf } from '../../contract/record.ts'
import type { Session } from '../../contract/session.ts'
import { isTerminalSession } from '../../contract/status.ts'
import { decideReviewer } from '../../core/forge/judge-finding.ts'
import { isFinished } from '../../core/status/derive-status.ts'
import { recordedPulls } from '../../core/status/recorded-facts.ts'
import { failpoint } from '../../lib/failpoint.ts'
import { ensureReview } from '../../manager/launch/review.ts'
import { changeReview } from '../../store/reviews.ts'
import type { LoopContext } from './loop-context.ts'

/** true: the result of one is new. */
export async function keepReviews(loop: LoopContext, project: ProjectConfig, reviewers: Session[]): Promise<boolean> {
  let isNew = false
  for (const session of reviewers) {
    const { reviews, operation } = recordOf(session)
    if (reviews === undefined || operation !== undefined) continue
    const review = await ensureReview(loop.context, session)
    const now = loop.context.clock.now()
    const decision = decideReviewer({
      isOver: review.endedAt !== null,
      hasEnded: isTerminalSession({ status: session.status, activity: null }),
      isIdle: isFinished(session),
      silentMs: now.getTime() - session.lastActivityAt.getTime(),
      ageMs: now.getTime() - session.createdAt.getTime(),
      isHead: isHead(loop, project, reviews),
    })
    if (decision.act === 'wait') continue
    const { dir } = loop.context.paths.project(project.id)
    const over = { endedAt: now.toISOString(), failed: decision.failed }
    await changeReview(dir, session.id, (one) => (one?.endedAt ? one : { ...(one ?? review), ...over }))
    failpoint('review.ended')
    isNew = true
    await loop.manager.kill(session.id, { endAs: 'done', by: 'the loop: its review is over' })
    loop.say(`${session.id}: its review of #${reviews.number} is over${decision.failed ? `: ${decision.failed}` : ''}`)
  }
  return isNew
}

/** By the last word of the forge on the author's pull requests. null: its record does not say. */
function isHead(
  { context }: LoopContext,
  { id }: ProjectConfig,
  { session, pull, head }: ReviewSubject,
): boolean | null {
  const record = context.store(id).read(session)?.record
  if (record === undefined) return false
  const found = recordedPulls(record).find(({ url }) => url === pull)
  const current = record.pr === pull ? record.prHead : found?.head
  if (found === undefined || current === undefined) return null
  return found.state === 'open' && current === head
}
