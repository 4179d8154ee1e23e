// From the forge's answer to what the reactions need: failing checks with their logs, remarks that may be passed on.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { ProjectConfig } from '../../contract/config.ts'
import { errorText } from '../../contract/errors.ts'
import type { FoundText, Pull, PullFacts, Review, ReviewComment } from '../../contract/pull.ts'
import type { ReactionMemory } from '../../contract/reactions.ts'
import { isRequestFor } from '../../core/forge/decide-review.ts'
import { type Rider, secondRunOf } from '../../core/landing/train-state.ts'
import {
  checkId,
  departureOf,
  type FailedCheck,
  memoryOf,
  type PullNews,
  personReviews,
  type RemarkView,
  reportedChecks,
} from '../../core/reactions/pull-news.ts'
import type { ProjectGates } from '../../landing/checks/project-gates.ts'
import { openLedger } from '../../landing/hosted/ledger.ts'
import { hostedDeparture } from '../../landing/hosted/report-hosted.ts'
import { hasOwnTrain } from '../../landing/own-train.ts'
import { whyWaiting } from '../../landing/train/ride-files.ts'
import { openTrainFile } from '../../landing/train/train-file.ts'
import type { Scm } from '../../slots/scm.ts'
import type { LoopContext } from '../loop/loop-context.ts'

interface Landing {
  landing: PullNews['landing']
  waits: string | null
}

function pullFacts(snapshot: Pull, { defaultBranch }: ProjectConfig, { landing, waits }: Landing): PullFacts {
  const { state, ci, review, mergeable, pr, mergedOutside, checks } = snapshot
  const findings = checks.flatMap(({ finding }) => (finding ? [shortFinding(finding)] : [])).slice(0, MOST_FINDINGS)
  const reviewed = personReviews(snapshot)
  const left = state === 'open' && landing ? departureOf(landing, pr.baseBranch ?? 'the base branch') : undefined
  return {
    url: pr.url,
    state,
    ci,
    review,
    mergeable,
    ...(pr.branch !== undefined && { branch: pr.branch }),
    ...(pr.baseBranch !== undefined && pr.baseBranch !== defaultBranch && { base: pr.baseBranch }),
    ...(pr.isDraft && { isDraft: true as const }),
    ...(state === 'open' && waits !== null && { waits: waits.slice(0, LONGEST_DEPARTURE) }),
    ...(left !== undefined && { left: left.slice(0, LONGEST_DEPARTURE) }),
    ...(state === 'open' && findings.length > 0 && { findings }),
    ...(reviewed.length > 0 && { reviewed }),
    ...(snapshot.createdAt !== undefined && { opened: snapshot.createdAt }),
    ...(state === 'merged' && mergedOutside && { byHand: true as const }),
  }
}

const LONGEST_DEPARTURE = 300
const MOST_FINDINGS = 5
const LONGEST_FINDING = 300

function shortFinding({ verdict, text }: FoundText): FoundText {
  return { verdict, text: text.slice(0, LONGEST_FINDING) }
}

export interface NewsRequest {
  loop: LoopContext
  scm: Scm
  project: ProjectConfig
  snapshot: Pull
  gates: ProjectGates | null
  isFurther: boolean
  /** What the agent already knows: logs are fetched only when they will be read. */
  memory: ReactionMemory
}

export async function readNews(request: NewsRequest): Promise<PullNews> {
  const { snapshot: pull, isFurther } = request
  const landing = readLanding(request)
  return {
    pull,
    facts: pullFacts(pull, request.project, { landing, waits: readWaits(request) }),
    isFurther,
    failedChecks: await failedChecks(request),
    remarks: openRemarks(request),
    requests: openRequests(pull).map(({ id }) => id),
    isAboard: riderOf(request) !== null,
    isInLine: isInLine(request),
    landing,
    ...(await reviewNews(request)),
  }
}

/** Nothing is loaded where nobody reviews. */
async function reviewNews({ loop, scm, project, snapshot }: NewsRequest): Promise<Partial<PullNews>> {
  const directory = loop.context.store(project.id).paths.dir
  const isOn = loop.rules.get(project.id)!.review.auto
  if (snapshot.state !== 'open' || !(isOn || existsSync(join(directory, 'reviews')))) return {}
  const { readReviewNews } = await import('./review-news.ts')
  const readStart = async () => {
    try {
      return (await scm.readRange?.(snapshot, project))?.from ?? null
    } catch (error) {
      loop.context.log.info(`where ${snapshot.pr.url} begins could not be read: ${errorText(error)}`)
      return null
    }
  }
  return readReviewNews(directory, project, { snapshot, isOn, readStart })
}

function riderOf({ loop, project, snapshot: { pr, headSha } }: NewsRequest): Rider | null {
  if (project.landing?.mode !== 'train') return null
  try {
    const { clock, paths } = loop.context
    const { riders } = openTrainFile({ projectDir: paths.project(project.id).dir, clock }).read()
    return riders.find((rider) => rider.pull === pr.number && rider.headSha === headSha) ?? null
  } catch {
    // Said by the train itself.
    return null
  }
}

/** The train asks sessions one after the other. On a forge elsewhere it says whether it does, and whom it could not see. */
function isInLine(request: NewsRequest): boolean {
  const { loop, scm, project, snapshot, isFurther } = request
  const { pr, session } = snapshot
  if (project.landing?.mode !== 'train' || (pr.baseBranch ?? project.defaultBranch) !== project.defaultBranch)
    return false
  if (hasOwnTrain(scm)) return typeof session === 'string'
  try {
    const line = openLedger(loop.context.paths.project(project.id).dir).read().line ?? null
    return line !== null && !isFurther && !line.unseen.includes(pr.number)
  } catch {
    // Said by the train itself.
    return false
  }
}

function readWaits(request: NewsRequest): string | null {
  const {
    loop,
    project,
    snapshot: { pr, headSha },
  } = request
  if (project.landing?.mode !== 'train') return null
  const directory = join(loop.context.paths.project(project.id).dir, 'landing')
  const rider = riderOf(request)
  return (rider && secondRunOf(rider)) ?? whyWaiting(directory, { pull: pr.number, headSha })
}

/** Anything that cannot be read now is said by the train itself. */
function readLanding({ loop, scm, project, snapshot, gates }: NewsRequest): PullNews['landing'] {
  const isTrain = project.landing?.mode === 'train'
  // On a forge elsewhere it may have been in a queue of theirs.
  if (!isTrain && scm.sharesRepository) return null
  try {
    const projectDir = loop.context.paths.project(project.id).dir
    const { headSha, pr } = snapshot
    if (!hasOwnTrain(scm)) return hostedDeparture(projectDir, { pull: pr.number, headSha, gates })
    return scm.train(project).departure({ projectDir, pull: pr.number, headSha })
  } catch (error) {
    loop.context.log.warn(`the train of ${project.id} could not be read: ${errorText(error)}`)
    return null
  }
}

async function failedChecks(request: NewsRequest): Promise<FailedCheck[]> {
  const { loop, scm, project, snapshot, gates, isFurther } = request
  const failed = snapshot.checks.filter(({ status }) => status === 'failed')
  const record = request.memory[memoryOf('ci-failed', { pull: snapshot, isFurther })]
  const reported = reportedChecks(record?.heard ?? record?.told, snapshot.headSha)
  return Promise.all(
    failed.map(async (check) => {
      const view = { name: check.name, url: check.url ?? null, logTail: '' }
      const key = `${snapshot.pr.url} ${snapshot.headSha} ${check.id}`
      const read = loop.checkLogs.get(key)
      if (read !== undefined) return { ...view, logTail: read }
      if (!scm.getCheckLog || snapshot.ci !== 'failing' || reported.includes(checkId(check.name))) return view
      try {
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
function openRemarks({ scm, snapshot, project }: NewsRequest): RemarkView[] {
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
