// From the forge's answer to what the reactions need: failing checks with their logs, remarks that may be passed on.

import type { ProjectConfig } from '../../contract/config.ts'
import { errorText } from '../../contract/errors.ts'
import type { Pull, PullFacts, Review, ReviewComment } from '../../contract/pull.ts'
import { isRequestFor } from '../../core/forge/decide-review.ts'
import { checkId, departureOf, reportedChecks } from '../../core/reactions/find-conditions.ts'
import type { FailedCheck, PrView, RemarkView } from '../../core/reactions/pr-view.ts'
import { hostedDeparture } from '../../landing/hosted/report-hosted.ts'
import { hasOwnTrain } from '../../landing/own-train.ts'
import { openTrainFile } from '../../landing/train/train-file.ts'
import { gatesOf } from '../../manager/observe/gates.ts'
import type { Scm } from '../../slots/scm.ts'
import type { LoopContext } from '../loop/loop-context.ts'

export function prFacts(snapshot: Pull, landing: PrView['landing']): PullFacts {
  const { state, ci, review, mergeable, pr, mergedOutside } = snapshot
  const left = state === 'open' && landing ? departureOf(landing, pr.baseBranch ?? 'the base branch') : undefined
  return {
    state,
    ci,
    review,
    mergeable,
    ...(pr.isDraft && { isDraft: true as const }),
    ...(left !== undefined && { left: left.slice(0, LONGEST_DEPARTURE) }),
    ...(state === 'merged' && mergedOutside && { byHand: true as const }),
  }
}

const LONGEST_DEPARTURE = 300

export interface ViewRequest {
  loop: LoopContext
  scm: Scm
  project: ProjectConfig
  snapshot: Pull
  /** What the agent already knows about CI: logs are fetched only when they will be read. */
  told: string | undefined
}

export async function viewPr(request: ViewRequest): Promise<PrView> {
  const { snapshot } = request
  const landing = readLanding(request)
  return {
    url: snapshot.pr.url,
    number: snapshot.pr.number,
    state: snapshot.state,
    headSha: snapshot.headSha,
    ci: snapshot.ci,
    review: snapshot.review,
    failedChecks: await failedChecks(request),
    remarks: openRemarks(request),
    requests: openRequests(snapshot).map(({ id }) => id),
    // The train finds out what to do about the conflicts of one that is aboard.
    hasConflicts: isAboard(request) ? null : snapshot.hasConflicts,
    landing,
  }
}

function isAboard({ loop, project, snapshot: { pr, headSha } }: ViewRequest): boolean {
  if (project.landing?.mode !== 'train') return false
  try {
    const { clock, paths } = loop.context
    const { riders } = openTrainFile({ projectDir: paths.project(project.id).dir, clock }).read()
    return riders.some((rider) => rider.pull === pr.number && rider.headSha === headSha)
  } catch {
    // Said by the train itself.
    return false
  }
}

/** Anything that cannot be read now is said by the train itself. */
function readLanding({ loop, scm, project, snapshot }: ViewRequest): PrView['landing'] {
  const isTrain = project.landing?.mode === 'train'
  // On other forges it may have been in a queue of theirs.
  if (!isTrain && hasOwnTrain(scm)) return null
  try {
    const projectDir = loop.context.paths.project(project.id).dir
    const { headSha, pr } = snapshot
    if (!hasOwnTrain(scm)) {
      const gates = gatesOf(loop.context, project, scm)
      return hostedDeparture(projectDir, { pull: pr.number, headSha, gates })
    }
    return scm.train(project).departure({ projectDir, pull: pr.number, headSha })
  } catch (error) {
    loop.context.log.warn(`the train of ${project.id} could not be read: ${errorText(error)}`)
    return null
  }
}

async function failedChecks({ loop, scm, project, snapshot, told }: ViewRequest): Promise<FailedCheck[]> {
  const failed = snapshot.checks.filter(({ status }) => status === 'failed')
  const reported = reportedChecks(told, snapshot.headSha)
  return Promise.all(
    failed.map(async (check) => {
      const view = { name: check.name, url: check.url ?? null, logTail: '' }
      const key = `${snapshot.pr.url} ${snapshot.headSha} ${check.id}`
      const read = loop.checkLogs.get(key)
      if (read !== undefined) return { ...view, logTail: read }
      if (!scm.getCheckLog || snapshot.ci !== 'failing' || reported.includes(checkId(check.name))) return view
      try {
        const gates = gatesOf(loop.context, project, scm)
        const logTail = gates?.log(check, LOG_BYTES) ?? (await scm.getCheckLog(snapshot.pr, check, project))
        keep(loop.checkLogs, key, logTail)
        return { ...view, logTail }
      } catch (error) {
        // The agent gets the message without it: it can run the check itself.
        loop.context.log.info(`the log of ${check.name} could not be read: ${errorText(error)}`)
        return view
      }
    }),
  )
}

const MOST_LOGS = 100
const LOG_BYTES = 32 * 1024

function keep(logs: Map<string, string>, key: string, log: string): void {
  logs.set(key, log)
  const oldest = logs.keys().next()
  if (logs.size > MOST_LOGS && !oldest.done) logs.delete(oldest.value)
}

/** Requests for changes of this head that their authors have not taken back since. */
function openRequests({ reviews, headSha }: Pull): Review[] {
  const last = new Map<string, Review>()
  for (const review of reviews) if (review.state !== 'commented') last.set(review.author.login, review)
  return [...last.values()].filter(
    ({ state, commit }) => state === 'changes_requested' && isRequestFor(commit, headSha),
  )
}

/** Strangers' words stay with the user unless the project is configured otherwise. */
function openRemarks({ scm, snapshot, project }: ViewRequest): RemarkView[] {
  const canAnswer = scm.threads !== undefined
  const mayPass = (author: { isMember: boolean; isBot: boolean }) =>
    author.isMember || author.isBot || project.forwardOutsiders === true
  const verdicts = openRequests(snapshot)
    .filter(({ author, body }) => body.trim() !== '' && mayPass(author))
    .map(({ id, author, body }) => ({ id, author: author.login, isBot: author.isBot, body, path: null, line: null }))
  const heard = snapshot.comments.filter(({ isOwn, author }) => isOwn === true || mayPass(author))
  const comments = heard
    .filter(({ isResolved, isOwn }) => !isResolved && isOwn !== true)
    .map((comment) => ({
      id: comment.id,
      author: comment.author.login,
      isBot: comment.author.isBot,
      body: comment.body,
      path: comment.path ?? null,
      startLine: comment.startLine ?? null,
      line: comment.line ?? null,
      thread: canAnswer ? (comment.thread ?? null) : null,
      earlier: earlierIn(heard, comment),
    }))
  return [...verdicts, ...comments]
}

/** What the thread said before this comment. */
function earlierIn(comments: readonly ReviewComment[], { id, thread }: ReviewComment): RemarkView['earlier'] {
  if (thread === undefined) return []
  const replies = comments.filter((one) => one.thread === thread)
  return replies
    .slice(
      0,
      replies.findIndex((one) => one.id === id),
    )
    .map(({ author, isOwn, body }) => ({ author: isOwn === true ? null : author.login, body }))
}
