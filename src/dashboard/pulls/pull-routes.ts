// Routes of pull requests: all projects' together, one with all details, and what people do to it.
import {
  commitsAnswer,
  diffAnswer,
  doneAnswer,
  logAnswer,
  type PullDetail,
  type PullsAnswer,
  pullDetail,
  pullMergeAnswer,
  pullsAnswer,
  reviewAnswer,
  suggestionsAnswer,
} from '../../contract/dashboard/answers.ts'
import {
  pullMergeBody,
  replyBody,
  resolveBody,
  reviewBody,
  suggestionsBody,
} from '../../contract/dashboard/requests.ts'
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
import { sendImage } from '../images/send-image.ts'
import type { DashboardContext } from '../server/context.ts'
import { route } from '../server/dashboard-route.ts'
import { DIFF_QUERY, IMAGE_QUERY, readDiffRequest, readImageRequest } from '../server/read-diff-request.ts'
import { close, merge, type PullTarget, reply, resolve, review } from './pull-change.ts'
import { commitsOf, diffOf, fileOf } from './pull-diff.ts'
import { forgetPulls, type KnownPull, type PullReading, readPulls } from './pull-reading.ts'
import { placedRemarks } from './pull-remark-places.ts'
import { toReviews, toRow } from './pull-rows.ts'
import { applySuggestions } from './suggestions/apply-suggestions.ts'

const ONE = '/api/projects/:project/pulls/:number'
const LOG_BYTES = 512 * 1024
const STATES = { approve: 'approved', request_changes: 'changes_requested', comment: 'commented' } as const

export const PULL_ROUTES = [
  route({
    method: 'GET',
    path: '/api/pulls',
    summary: 'The pull requests of all projects, with their checks',
    query: { state: 'open (default) or all' },
    answer: pullsAnswer,
    handle: async ({ place, query }) => list(place, query.get('state') ?? 'open'),
  }),
  route({
    method: 'GET',
    path: ONE,
    summary: 'A pull request with its reviews and remarks',
    answer: pullDetail,
    handle: async ({ place, params }) => detail(await find(place, params)),
  }),
  route({
    method: 'GET',
    path: `${ONE}/diff`,
    summary: 'What a pull request changes: all of it, one commit, or what is new since a reviewed commit',
    query: DIFF_QUERY,
    answer: diffAnswer,
    handle: async ({ place, params, query }) => {
      const { reading, known } = await find(place, params)
      return diffOf(place, { reading, known }, readDiffRequest(query))
    },
  }),
  route({
    method: 'GET',
    path: `${ONE}/image`,
    summary: 'A picture that it changes, before or after the change; only to be shown as a picture',
    query: IMAGE_QUERY,
    stream: 'image/*',
    handle: async ({ place, params, query, response }) => {
      const { reading, known } = await find(place, params)
      return sendImage(response, await fileOf(place, { reading, known }, readImageRequest(query)), 'all')
    },
  }),
  route({
    method: 'GET',
    path: `${ONE}/commits`,
    summary: 'Its commits, oldest first',
    answer: commitsAnswer,
    handle: async ({ place, params }) => {
      const { reading, known } = await find(place, params)
      return { commits: await commitsOf(place, { reading, known }) }
    },
  }),
  route({
    method: 'GET',
    path: `${ONE}/checks/:check/log`,
    summary: 'The end of what a check of its head printed',
    answer: logAnswer,
    handle: async ({ place, params }) => ({ log: await readLog(await find(place, params), params.check) }),
  }),
  route({
    method: 'POST',
    path: `${ONE}/review`,
    summary: 'One review of exactly this head, with all its comments',
    body: reviewBody,
    answer: reviewAnswer,
    handle: async ({ place, params, body }) => {
      const { verdict, body: text, sha, comments } = body
      const given = { state: STATES[verdict], body: text, comments, expected: sha }
      return { review: await review(await find(place, params), given) }
    },
  }),
  route({
    method: 'POST',
    path: `${ONE}/resolve`,
    summary: 'Mark a remark as settled, or as open again',
    body: resolveBody,
    answer: doneAnswer,
    handle: async ({ place, params, body }) => {
      await resolve(await find(place, params), body)
      return { ok: true as const }
    },
  }),
  route({
    method: 'POST',
    path: `${ONE}/reply`,
    summary: 'Answer in a thread of a review',
    body: replyBody,
    answer: doneAnswer,
    handle: async ({ place, params, body }) => {
      await reply(await find(place, params), body)
      return { ok: true as const }
    },
  }),
  route({
    method: 'POST',
    path: `${ONE}/suggestions`,
    summary: 'Apply suggestions of remarks as one commit, or ask the agent to, where that would disturb it',
    body: suggestionsBody,
    answer: suggestionsAnswer,
    handle: async ({ place, params, body }) => applySuggestions(await find(place, params), body),
  }),
  route({
    method: 'POST',
    path: `${ONE}/merge`,
    summary: 'Merge exactly this head',
    body: pullMergeBody,
    answer: pullMergeAnswer,
    handle: async ({ place, params, body }) => merge(await find(place, params), body),
  }),
  route({
    method: 'POST',
    path: `${ONE}/close`,
    summary: 'Close it without merging',
    answer: doneAnswer,
    handle: async ({ place, params }) => {
      await close(await find(place, params))
      return { ok: true as const }
    },
  }),
]

async function list(context: DashboardContext, state: string): Promise<PullsAnswer> {
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

async function find(context: DashboardContext, params: { project: string; number: string }): Promise<PullTarget> {
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

async function detail({ context, reading, known }: PullTarget): Promise<PullDetail> {
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
async function readLog({ context, reading, known }: PullTarget, checkId: string): Promise<string> {
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
