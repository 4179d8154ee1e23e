// Pull requests as the page reads them: all projects' together, one with all details, and the log of a check.
import type { PullDetail, PullsAnswer } from '../../contract/dashboard/answers.ts'
import type { SessionCard } from '../../contract/dashboard/cards.ts'
import { AoError } from '../../contract/errors.ts'
import { mergeProblem } from '../../core/landing/merge-problem.ts'
import { openRepository } from '../../git/repository.ts'
import { localAuthor } from '../../inside/local-author.ts'
import { readChangedChecks } from '../../landing/checks/read-changed-checks.ts'
import { ridesTrain } from '../../landing/merge.ts'
import { requireProject } from '../../manager/context.ts'
import { gatesOf } from '../../manager/observe/gates.ts'
import { locateComments } from '../../manager/pulls/locate-comments.ts'
import { readLogOf } from '../../manager/pulls/read-log.ts'
import { readRisk } from '../../manager/pulls/read-risk.ts'
import type { Scm } from '../../slots/scm.ts'
import { readReviews } from '../../store/reviews.ts'
import type { DashboardContext } from '../server/context.ts'
import type { PullTarget } from './pull-change.ts'
import { forgetPulls, type PullReading, type ReadPull, readPulls } from './pull-reading.ts'
import { toMarks, toRemark, toReview, toRow } from './pull-rows.ts'

const LOG_BYTES = 512 * 1024

export async function listPulls(context: DashboardContext, state: string): Promise<PullsAnswer> {
  if (state !== 'open' && state !== 'all') throw new AoError('USAGE', `state is open or all, not ${state}`)
  const readings = await Promise.all(
    Object.values(context.config.projects).map((project) => readPulls(context, project)),
  )
  return {
    pulls: readings
      .flatMap((reading) => reading.pulls.map((read) => ({ ...toRow(reading, read), risk: cardRisk(context, read) })))
      .filter((row) => state === 'all' || row.state === 'open'),
    problems: readings.flatMap(({ project, problem }) =>
      problem === null ? [] : [{ projectId: project.id, message: problem }],
    ),
  }
}

export async function findPull(
  context: DashboardContext,
  params: { project: string; number: string },
): Promise<PullTarget> {
  const project = requireProject(context, params.project)
  let reading = await readPulls(context, project)
  const isMeant = ({ pull }: ReadPull) => String(pull.pr.number) === params.number
  if (reading.scm?.costsNothing && !reading.pulls.some(isMeant)) {
    // Opened while the previous answer is still cached.
    forgetPulls(context, project.id)
    reading = await readPulls(context, project)
  }
  const read = reading.pulls.find(isMeant)
  if (read) return { context, reading, read }
  if (reading.problem === null) throw new AoError('PR_NOT_FOUND', `There is no pull request ${params.number}`)
  throw new AoError('SCM_FAILED', `The forge of ${reading.project.id} could not be asked: ${reading.problem}`)
}

export async function readDetail({ context, reading, read }: PullTarget): Promise<PullDetail> {
  const { project, scm } = reading
  const { pull } = read
  const boards = ridesTrain(project, scm, pull.pr)
  const { body = '', labels = null, assignees = null, reviewers = null } = pull
  const open = () => openRepository(project.path, context.env)
  return {
    pull: { ...toRow(reading, read), risk: await riskOf(context, reading, read) },
    body,
    reviews: pull.reviews.map(toReview),
    commitReviews: readReviews(context.paths.project(project.id).dir).filter((one) => one.pull === pull.pr.url),
    remarks: (await locateComments(open, pull)).map(toRemark),
    hasThreads: scm?.threads !== undefined,
    labels,
    assignees,
    reviewers,
    mergeProblem: problemOf(read, scm),
    // The train has its own way.
    mergeMethods: boards ? [] : [...(scm?.mergeMethods ?? [])],
    viewer: scm?.threads?.recordsWriter ? localAuthor(context.env) : null,
    boards,
    changedChecks: await changedChecks(context, reading, read),
    marks: toMarks(pull.checks),
  }
}

/** As the card of its session has it. */
function cardRisk(context: DashboardContext, { pull, sessionId }: ReadPull): SessionCard['risk'] {
  const card = sessionId === null ? undefined : context.board.card(sessionId)
  return pull.state === 'open' && card?.pr?.url === pull.pr.url && card.pr.headSha === pull.headSha
    ? card.risk
    : undefined
}

async function riskOf(context: DashboardContext, { project, scm }: PullReading, { pull, sessionId }: ReadPull) {
  if (pull.state !== 'open') return undefined
  const record = sessionId === null ? undefined : context.store(project.id).read(sessionId)?.record
  return readRisk({ project, scm, pull, record, env: context.env })
}

/** What the loop found out about its session; without one, and where that costs nothing, it is found out here. */
async function changedChecks(context: DashboardContext, { project, scm }: PullReading, { pull, sessionId }: ReadPull) {
  if (!scm?.costsNothing) return context.board.card(sessionId ?? '')?.changedChecks ?? []
  if (pull.state !== 'open' || scm.readRange === undefined) return []
  const repository = openRepository(project.path, context.env)
  return readChangedChecks(project, { repository, ...(await scm.readRange(pull, project)) })
}

/** Only for checks that the pull request has now. */
export async function readLog({ context, reading, read }: PullTarget, checkId: string): Promise<string> {
  const { scm, project } = reading
  const check = read.pull.checks.find(({ id }) => id === checkId)
  if (!check) throw new AoError('PR_NOT_FOUND', `Its head has no check ${checkId}`, { hint: 'Load the page again' })
  return readLogOf({ scm, project, pull: read.pull, gates: gatesOf(context, project, scm) }, check, LOG_BYTES)
}

/** Why it cannot be merged now; null: it can, as far as is known. Merging checks again. */
function problemOf({ pull, staleReason }: ReadPull, scm: Scm | null): string | null {
  if (staleReason !== null) return staleReason
  if (pull.state === 'open' && scm?.mergePR === undefined) return 'it can only be merged on its own page'
  return pull.mergeProblem === undefined ? mergeProblem(pull) : pull.mergeProblem
}
