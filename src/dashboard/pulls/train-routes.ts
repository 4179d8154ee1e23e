// Routes of the train: what is about to land, and a person's pause; and who is at work in files that a task names.
import { isCommitId } from '../../contract/blocker.ts'
import type { ProjectConfig } from '../../contract/config.ts'
import { doneAnswer } from '../../contract/dashboard/answers.ts'
import {
  inHandsAnswer,
  type ProofAnswer,
  proofAnswer,
  type TrainAnswer,
  type TrainView,
  trainAnswer,
} from '../../contract/dashboard/train.ts'
import { AoError, errorText } from '../../contract/errors.ts'
import { localAuthor } from '../../inside/local-author.ts'
import { canHostTrain } from '../../landing/hosted/hosted-train.ts'
import { hostedReport } from '../../landing/hosted/report-hosted.ts'
import { hasOwnTrain } from '../../landing/own-train.ts'
import type { TrainKind } from '../../landing/proof/open-verifier.ts'
import { openTrainFile } from '../../landing/train/train-file.ts'
import { readTrainReport } from '../../landing/train/train-report.ts'
import { requireProject, scmOf, trackerOf } from '../../manager/context.ts'
import { warnAboutOverlap } from '../../manager/observe/ongoing-work.ts'
import type { DashboardContext } from '../server/context.ts'
import { route } from '../server/dashboard-route.ts'

const MOST_PAST = 20
const ONE = '/api/projects/:project/train'

export const TRAIN_ROUTES = [
  route({
    method: 'GET',
    path: '/api/train',
    summary:
      'The trains of all projects that have one: pull requests about to land, those that left and why, and those that landed',
    answer: trainAnswer,
    handle: async ({ context }) => readTrains(context),
  }),
  route({
    method: 'POST',
    path: `${ONE}/pause`,
    summary: 'Let nothing land',
    answer: doneAnswer,
    handle: async ({ context, params }) => change(context, params.project, { type: 'paused' }),
  }),
  route({
    method: 'POST',
    path: `${ONE}/resume`,
    summary: 'Let the train continue, after a pause or a stop',
    answer: doneAnswer,
    handle: async ({ context, params }) => change(context, params.project, { type: 'resumed' }),
  }),
  route({
    method: 'POST',
    path: `${ONE}/first/:pull`,
    summary: 'Let a pull request that is aboard go first, behind cars that are green',
    answer: doneAnswer,
    handle: async ({ context, params }) => {
      const projectDir = context.paths.project(requireProject(context, params.project).id).dir
      const { riders } = openTrainFile({ projectDir, clock: context.clock }).read()
      const rider = riders.find(({ pull }) => String(pull) === params.pull)
      if (!rider) throw new AoError('USAGE', `#${params.pull} is not aboard`)
      const { pull, headSha } = rider
      return change(context, params.project, { type: 'preferred', pull, headSha, front: 'next' })
    },
  }),
  route({
    method: 'GET',
    path: `${ONE}/landed/:commit`,
    summary: 'The proof of a landed commit, each claim checked again: signature, tree, checks, approval',
    answer: proofAnswer,
    handle: async ({ context, params }) => readProof(context, params.project, params.commit),
  }),
  route({
    method: 'GET',
    path: '/api/projects/:project/in-hands',
    summary: 'Who is changing files that a task names, as the radar last saw it',
    query: { prompt: 'The task in words', issue: 'Its issue' },
    answer: inHandsAnswer,
    handle: async ({ context, params, query }) => {
      const project = requireProject(context, params.project)
      const id = query.get('issue')
      const tracker = id === null ? null : await trackerOf(context, project)
      const issue = id === null ? undefined : await tracker?.getIssue(id, project)
      const text = [issue?.title, issue?.description, query.get('prompt')].join('\n')
      return { warnings: warnAboutOverlap(context, project.id, { text, labels: issue?.labels ?? [] }) }
    },
  }),
]

async function readTrains(context: DashboardContext): Promise<TrainAnswer> {
  const answer: TrainAnswer = { trains: [], problems: [] }
  for (const project of Object.values(context.config.projects)) {
    if (project.landing?.mode !== 'train') continue
    try {
      answer.trains.push(await readTrain(context, project))
    } catch (error) {
      answer.problems.push({ projectId: project.id, message: errorText(error) })
    }
  }
  return answer
}

async function kindOf(context: DashboardContext, project: ProjectConfig): Promise<TrainKind> {
  const scm = await scmOf(context, project)
  if (hasOwnTrain(scm)) return { kind: 'own', train: scm.train(project) }
  if (canHostTrain(scm)) return { kind: 'hosted', scm }
  throw new AoError('USAGE', `the forge ${scm?.name ?? '(none)'} cannot have a train`)
}

async function readProof(context: DashboardContext, projectId: string, commit: string): Promise<ProofAnswer> {
  const project = requireProject(context, projectId)
  if (!isCommitId(commit)) throw new AoError('USAGE', 'That is not the id of a commit')
  const where = await kindOf(context, project)
  const projectDir = context.paths.project(project.id).dir
  const { directory } = openTrainFile({ projectDir, clock: context.clock })
  const { openVerifier } = await import('../../landing/proof/open-verifier.ts')
  const opened = await openVerifier({ where, project, projectDir, env: context.env, directory, rerun: false })
  const { commitsOf } = await import('../../landing/proof/landed-commits.ts')
  // Throws for one that is not here.
  await commitsOf(opened, commit)
  const { subject, findings, proof } = await opened.verify(commit)
  return { commit, subject, findings, session: proof?.session ?? null, changedChecks: proof?.changedChecks ?? [] }
}

async function readTrain(context: DashboardContext, project: ProjectConfig): Promise<TrainView> {
  const where = await kindOf(context, project)
  const projectDir = context.paths.project(project.id).dir
  const source = where.kind === 'own' ? where.train.report : hostedReport(projectDir)
  const report = readTrainReport(source, projectDir, project)
  const { projectId, paused, halt, idle, stopped, obstacle, riders, waiting, left, landed, past, moved, flaky } = report
  const newest = <T>(list: readonly T[]): T[] => list.slice(-MOST_PAST).reverse()
  return {
    projectId,
    branch: project.defaultBranch,
    paused: paused && { by: paused.by, at: paused.at },
    halt,
    idle,
    stopped: stopped && { base: stopped.base, check: stopped.check, at: stopped.at },
    obstacle,
    riders: riders.map(
      ({ pull, headSha, by, at, title, session, place, state, commit, suspect = null, changedChecks, ...solved }) => {
        const { why, eta, reused, resolved } = solved
        const shown = { pull, headSha, by, at, title, session, place, state, commit, suspect, changedChecks }
        return { ...shown, why, eta, reused, resolved }
      },
    ),
    waiting,
    left: newest(left).map(
      ({
        pull,
        title,
        why,
        at,
        check = null,
        commit = null,
        ahead = [],
        files = [],
        said = null,
        onto,
        partners = [],
      }) => {
        return {
          pull,
          title,
          why,
          at,
          check,
          commit,
          ahead,
          files,
          said,
          partners,
          cars: onto?.cars.map((car) => car.pull) ?? [],
        }
      },
    ),
    landed: newest(landed).map(({ pull, title, commit, at, untested = null, flaky = [] }) => ({
      pull,
      title,
      commit,
      at,
      untested,
      flaky,
    })),
    past: newest(past),
    moved: newest(moved).map(({ from, to, at, isOnRemote, pulls }) => ({ from, to, at, isOnRemote, pulls })),
    flaky,
  }
}

type Change =
  | { type: 'paused' | 'resumed' }
  | { type: 'preferred'; pull: number; headSha: string; front: 'next' | 'now' }

async function change(context: DashboardContext, projectId: string, event: Change): Promise<{ ok: true }> {
  const project = requireProject(context, projectId)
  if (project.landing?.mode !== 'train') throw new AoError('USAGE', `Project ${project.id} has no train`)
  const projectDir = context.paths.project(project.id).dir
  await openTrainFile({ projectDir, clock: context.clock }).append({ ...event, by: localAuthor(context.env) })
  context.loop?.askForge(project.id)
  return { ok: true }
}
