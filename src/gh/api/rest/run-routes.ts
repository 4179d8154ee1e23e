// The checks of a pull request as the jobs of a run, which has the pull request's number.
import type { Check } from '../../../contract/pull.ts'
import { readCheckLog } from '../../../forge/ci/check-log.ts'
import { observePulls, type PullView } from '../../../forge/pulls/observe-pulls.ts'
import type { Gh } from '../../open-gh.ts'
import { findJob } from '../../run/job.ts'
import { rerunChecks } from '../../run/run-rerun.ts'
import { WORKFLOW, WORKFLOW_ID } from '../../run/workflow.ts'
import { notFound } from '../answer.ts'
import { describeRun } from './check-routes.ts'
import { created, defineRoute, ok, type RestCall, type Route } from './define-route.ts'
import { apiUrl, webUrl } from './describe-names.ts'
import { pullOf } from './pull-routes.ts'

const LOG_BYTES = 1024 * 1024

function describeJob(gh: Gh, view: PullView, check: Check) {
  return {
    ...describeRun(gh, view.headSha, check),
    run_id: view.pull.number,
    workflow_name: WORKFLOW,
    head_branch: view.pull.head,
    steps: [],
  }
}

function describeWorkflowRun(gh: Gh, { pull, headSha, ci }: PullView) {
  return {
    id: pull.number,
    node_id: `WFR_${pull.number}`,
    name: WORKFLOW,
    workflow_id: WORKFLOW_ID,
    run_number: pull.number,
    run_attempt: 1,
    display_title: pull.title,
    event: 'pull_request',
    head_branch: pull.head,
    head_sha: headSha,
    status: ci === 'pending' ? 'in_progress' : 'completed',
    conclusion: { passing: 'success', failing: 'failure', pending: null, none: 'skipped' }[ci],
    created_at: pull.createdAt,
    updated_at: pull.updatedAt,
    html_url: `${pull.url}/checks`,
    url: apiUrl(gh, `actions/runs/${pull.number}`),
    jobs_url: apiUrl(gh, `actions/runs/${pull.number}/jobs`),
    pull_requests: [{ number: pull.number, url: apiUrl(gh, `pulls/${pull.number}`) }],
  }
}

async function viewOf(call: RestCall): Promise<PullView> {
  const [view] = await observePulls(call.gh.forge, [pullOf(call)])
  return view!
}

async function rerun(call: RestCall, onlyFailed: boolean) {
  await rerunChecks(call.gh.forge, pullOf(call), { onlyFailed })
  return created({})
}

const RUN_LIST = { query: ['branch', 'head_sha', 'status', 'event'], isList: true } as const

async function listRuns({ gh, query }: RestCall) {
  const runs = (await observePulls(gh.forge, hasChecks(gh) ? gh.forge.pulls.list().reverse() : []))
    .map((view) => describeWorkflowRun(gh, view))
    .filter((run) => (query.get('branch') ?? run.head_branch) === run.head_branch)
    .filter((run) => (query.get('head_sha') ?? run.head_sha) === run.head_sha)
    .filter((run) => (query.get('event') ?? run.event) === run.event)
    .filter((run) => [run.status, run.conclusion, undefined].includes(query.get('status')))
  return ok({ total_count: runs.length, workflow_runs: runs })
}

function hasChecks({ forge }: Gh): boolean {
  return forge.options.ci.length > 0
}

function describeWorkflow(gh: Gh) {
  return {
    id: WORKFLOW_ID,
    node_id: `W_${WORKFLOW_ID}`,
    name: WORKFLOW,
    path: '',
    state: 'active',
    html_url: webUrl(gh),
  }
}

function requireWorkflow({ gh, params }: RestCall): void {
  const names = [String(WORKFLOW_ID), WORKFLOW.toLowerCase()]
  if (hasChecks(gh) && names.includes((params.workflow ?? '').toLowerCase())) return
  throw notFound(
    `There is no workflow ${params.workflow}; the checks of the configuration are the workflow ${WORKFLOW_ID}`,
  )
}

export const RUN_ROUTES: readonly Route[] = [
  defineRoute('GET actions/runs', RUN_LIST, listRuns),
  defineRoute('GET actions/workflows', { isList: true }, async ({ gh }) => {
    const workflows = hasChecks(gh) ? [describeWorkflow(gh)] : []
    return ok({ total_count: workflows.length, workflows })
  }),
  defineRoute('GET actions/workflows/:workflow', {}, async (call) => {
    requireWorkflow(call)
    return ok(describeWorkflow(call.gh))
  }),
  defineRoute('GET actions/workflows/:workflow/runs', RUN_LIST, async (call) => {
    requireWorkflow(call)
    return listRuns(call)
  }),
  defineRoute('GET actions/runs/:number/artifacts', { isList: true }, async (call) => {
    pullOf(call)
    return ok({ total_count: 0, artifacts: [] })
  }),
  defineRoute('GET actions/runs/:number', {}, async (call) => ok(describeWorkflowRun(call.gh, await viewOf(call)))),
  defineRoute('GET actions/runs/:number/jobs', { isList: true }, async (call) => {
    const view = await viewOf(call)
    return ok({ total_count: view.checks.length, jobs: view.checks.map((check) => describeJob(call.gh, view, check)) })
  }),
  defineRoute('GET actions/jobs/:id', {}, async (call) => {
    const { view, check } = await findJob(call.gh.forge, call.params.id!)
    return ok(describeJob(call.gh, view, check))
  }),
  defineRoute('GET actions/jobs/:id/logs', {}, async (call) => {
    const { check } = await findJob(call.gh.forge, call.params.id!)
    return { status: 200, text: readCheckLog(call.gh.forge, check, LOG_BYTES) }
  }),
  defineRoute('POST actions/runs/:number/rerun', {}, (call) => rerun(call, false)),
  defineRoute('POST actions/runs/:number/rerun-failed-jobs', {}, (call) => rerun(call, true)),
]
