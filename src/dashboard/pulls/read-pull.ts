// Pull requests as the page reads them: all projects' together, one with all details, and the log of a check.
import type { PullDetail, PullsAnswer } from '../../contract/dashboard/answers.ts'
import { AoError } from '../../contract/errors.ts'
import { readCheckLog } from '../../forge/ci/check-log.ts'
import { changedChecksOf } from '../../forge/gates/read-changed-checks.ts'
import { mergeObstacle } from '../../forge/merge/merge-pull.ts'
import { localAuthor } from '../../forge/pulls/local-author.ts'
import { pullNotFound } from '../../forge/pulls/pull-store.ts'
import { ridesTrain } from '../../landing/train/merge-or-board.ts'
import { requireProject } from '../../manager/context.ts'
import { gatesOf } from '../../manager/observe/gates.ts'
import type { PrSnapshot, Scm } from '../../slots/scm.ts'
import type { DashboardContext } from '../server/context.ts'
import type { PullTarget } from './pull-change.ts'
import { forgetPulls, type KnownPull, type PullReading, readPulls } from './pull-reading.ts'
import { placedRemarks } from './pull-remark-places.ts'
import { toReviews, toRow } from './pull-rows.ts'

const LOG_BYTES = 512 * 1024

export async function listPulls(context: DashboardContext, state: string): Promise<PullsAnswer> {
  if (state !== 'open' && state !== 'all') throw new AoError('USAGE', `state is open or all, not ${state}`)
  const readings = await Promise.all(
    Object.values(context.config.projects).map((project) => readPulls(context, project)),
  )
  return {
    pulls: readings
      .flatMap((reading) => reading.pulls.map((known) => toRow(reading, known)))
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
  const isMeant = (one: KnownPull) => String(numberOf(one)) === params.number
  if (reading.forge !== null && !reading.pulls.some(isMeant)) {
    // Opened while the previous answer is still cached; local files may be read again.
    forgetPulls(context, project.id)
    reading = await readPulls(context, project)
  }
  const known = reading.pulls.find(isMeant)
  if (known) return { context, reading, known }
  if (reading.problem === null) throw pullNotFound(params.number)
  throw new AoError('SCM_FAILED', `The forge of ${reading.project.id} could not be asked: ${reading.problem}`)
}

export async function readDetail({ context, reading, known }: PullTarget): Promise<PullDetail> {
  const isLocal = known.kind === 'local'
  const boards = isLocal && ridesTrain(reading.forge!, known.view.pull)
  return {
    pull: toRow(reading, known),
    body: isLocal ? known.view.pull.body : '',
    reviews: toReviews(known),
    remarks: await placedRemarks({ context, reading, known }),
    hasThreads: reading.scm?.threads !== undefined,
    isLocal,
    labels: isLocal ? known.view.pull.labels : null,
    assignees: isLocal ? known.view.pull.assignees : null,
    reviewers: isLocal ? known.view.pull.reviewers : null,
    mergeProblem: mergeProblem(known, reading.scm),
    // The train has its own way.
    mergeMethods: boards ? [] : [...(reading.scm?.mergeMethods ?? [])],
    viewer: isLocal ? localAuthor(reading.forge!.context.env) : null,
    boards,
    changedChecks: await changedChecks(context, reading, known),
  }
}

/** Of a pull request elsewhere: what the loop found out about its session. */
async function changedChecks(context: DashboardContext, { forge }: PullReading, known: KnownPull): Promise<string[]> {
  if (known.kind === 'remote') return context.board.card(known.sessionId ?? '')?.changedChecks ?? []
  const { headSha, baseSha, state } = known.view
  return state !== 'open' || baseSha === null ? [] : changedChecksOf(forge!, { head: headSha, base: baseSha })
}

/** Only for checks that the pull request has now. */
export async function readLog({ context, reading, known }: PullTarget, checkId: string): Promise<string> {
  const checks = known.kind === 'local' ? known.view.checks : known.snapshot.checks
  const check = checks.find(({ id }) => id === checkId)
  if (!check) throw new AoError('PR_NOT_FOUND', `Its head has no check ${checkId}`, { hint: 'Load the page again' })
  if (known.kind === 'local') return readCheckLog(reading.forge!, check, LOG_BYTES)
  const own = gatesOf(context, reading.project, reading.scm)?.log(check, LOG_BYTES)
  return own ?? (await reading.scm?.getCheckLog?.(known.snapshot.pr, check, reading.project)) ?? ''
}

function numberOf(known: KnownPull): number {
  return known.kind === 'local' ? known.view.pull.number : known.snapshot.pr.number
}

/** Why it cannot be merged now; null: it can, as far as is known. Merging checks again. */
function mergeProblem(known: KnownPull, scm: Scm | null): string | null {
  if (known.kind === 'remote') return known.staleReason ?? remoteProblem(known.snapshot, scm)
  const { view } = known
  if (view.state !== 'open') return `it is ${view.state}`
  if (view.hasConflicts) return `it conflicts with ${view.pull.base}`
  return mergeObstacle(view, {})?.why ?? null
}

function remoteProblem(snapshot: PrSnapshot, scm: Scm | null): string | null {
  const { state, pr, ci, review, checks } = snapshot
  if (state !== 'open') return `it is ${state}`
  if (scm?.mergePR === undefined) return 'it can only be merged on its own page'
  if (pr.isDraft) return 'it is a draft'
  if (snapshot.hasConflicts) return `it conflicts with ${pr.baseBranch ?? 'its base branch'}`
  if (review === 'changes_requested') return 'changes are requested'
  if (ci === 'failing' || ci === 'pending') {
    const open = checks.filter(({ status }) => status !== 'passed' && status !== 'skipped')
    return `checks have not passed: ${open.map(({ name, status }) => `${name} (${status})`).join(', ')}`
  }
  return snapshot.mergeable === false ? 'the forge says that it cannot be merged yet' : null
}
