// Starts a reviewer for exactly one commit of a pull request: one for each commit and round, whatever is killed in between.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { ProjectConfig } from '../../contract/config.ts'
import { AoError } from '../../contract/errors.ts'
import { pullRef } from '../../contract/ids.ts'
import type { CommitReview, ReviewSubject } from '../../contract/pull.ts'
import { recordOf } from '../../contract/record.ts'
import type { Session } from '../../contract/session.ts'
import { TERMINAL_STATUSES } from '../../contract/status.ts'
import { reviewPrompt } from '../../core/prompt/review-prompt.ts'
import { readPull, requireAbility } from '../../landing/read-pull.ts'
import { failpoint } from '../../lib/failpoint.ts'
import { withLock } from '../../lib/lock.ts'
import { changeReview, readReviews, reviewsDirectory } from '../../store/reviews.ts'
import type { StoredSession } from '../../store/session/session-store.ts'
import { type ManagerContext, requireActive, scmOf } from '../context.ts'
import { recover } from '../remove/recover.ts'
import type { OnProgress } from '../types.ts'
import { spawn } from './spawn.ts'

export interface ReviewRequest {
  /** URL of the pull request; absent: the one that the session's status is about. */
  pull?: string | undefined
  /** Refused when it has another head by now; absent: whatever its head is. */
  head?: string | undefined
  /** Which review it is; absent: the next one. */
  round?: number | undefined
  onProgress?: OnProgress | undefined
}

/** Starting includes checking out: a large repository takes its time. */
const START_TIMEOUT_MS = 10 * 60_000

/** The id of the reviewer's session, started now or before. */
export async function startReview(
  context: ManagerContext,
  sessionId: string,
  request: ReviewRequest = {},
): Promise<string> {
  const { project, stored, store } = requireActive(context, sessionId)
  if (project.place !== undefined) {
    throw new AoError('STATE_REFUSED', 'Reviewers run on this machine only, and this project has places', {
      hint: 'Review it yourself: ao pr diff',
      details: { sessionId },
    })
  }
  const url = request.pull ?? stored.record.pr
  if (url === undefined) throw new AoError('PR_NOT_FOUND', `${sessionId} has no pull request`)
  store.ensure()
  const { dir } = store.paths
  mkdirSync(reviewsDirectory(dir), { recursive: true, mode: 0o700 })
  return withLock(
    join(reviewsDirectory(dir), `${sessionId}.lock`),
    async () => {
      const { subject, prompt } = await readSubject(context, project, { sessionId, url, request })
      // One whose start was killed is finished or rolled back first.
      await recover(context, project.id)
      const before = findReviewer(context, project, subject, request.round !== undefined)
      if (before !== null) return before
      const session = await spawn(
        context,
        { projectId: project.id, prompt },
        { review: subject, now: true, ...(request.onProgress && { onProgress: request.onProgress }) },
      )
      failpoint('review.started')
      await ensureReview(context, session)
      return session.id
    },
    { timeoutMs: START_TIMEOUT_MS },
  )
}

interface Asked {
  sessionId: string
  url: string
  request: ReviewRequest
}

async function readSubject(
  context: ManagerContext,
  project: ProjectConfig,
  { sessionId, url, request }: Asked,
): Promise<{ subject: ReviewSubject; prompt: string }> {
  const scm = await scmOf(context, project)
  if (scm === null) throw new AoError('SCM_FAILED', `Project ${project.id} has no forge with pull requests`)
  const pull = await readPull({ scm, project, pr: pullRef(url) })
  if (pull.state !== 'open') throw new AoError('STATE_REFUSED', `${url} is ${pull.state}`)
  const { from, to } = await requireAbility({ scm, pr: pull.pr }, 'readRange')(pull, project)
  if (to !== pull.headSha || (request.head !== undefined && to !== request.head))
    throw new AoError('STATE_REFUSED', `${url} has another head by now`, { details: { head: to } })
  const { number, title = '', baseBranch = project.defaultBranch } = pull.pr
  const earlier = readReviews(context.paths.project(project.id).dir).filter((one) => one.pull === url)
  const round = request.round ?? Math.max(0, ...earlier.map((one) => one.round)) + 1
  const subject = { session: sessionId, pull: url, number, head: to, from, round }
  const rules = project.reviewer?.rules ?? context.config.defaults.reviewer?.rules
  const author = pull.author ?? null
  return { subject, prompt: reviewPrompt(subject, { title, body: pull.body ?? '', baseBranch, author }, rules) }
}

/** By an earlier life of the loop: of exactly this round; by a person: of this commit, as long as it is at work. */
function findReviewer(
  context: ManagerContext,
  project: ProjectConfig,
  { pull, head, from, round }: ReviewSubject,
  isRound: boolean,
): string | null {
  const store = context.store(project.id)
  const isIt = ({ record: { reviews, status = 'working' } }: StoredSession) =>
    reviews?.pull === pull &&
    reviews.head === head &&
    reviews.from === from &&
    (isRound ? reviews.round === round : !TERMINAL_STATUSES.has(status))
  return (store.readAll().find(isIt) ?? (isRound ? store.readAllArchived().find(isIt) : undefined))?.id ?? null
}

/** What a reviewer writes into. Nothing is changed where it is there already. */
export function ensureReview(context: ManagerContext, session: Session): Promise<CommitReview> {
  const { reviews, agent = '' } = recordOf(session)
  if (reviews === undefined) throw new AoError('STATE_REFUSED', `${session.id} is not a reviewer`)
  const { dir } = context.paths.project(session.projectId)
  return changeReview(dir, session.id, (review) => review ?? newReview(session, reviews, agent))
}

function newReview({ id, createdAt }: Session, subject: ReviewSubject, agent: string): CommitReview {
  const startedAt = createdAt.toISOString()
  return { ...subject, reviewer: id, agent, startedAt, findings: [], summary: null, endedAt: null, failed: null }
}
