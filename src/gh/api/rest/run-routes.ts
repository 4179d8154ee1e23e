// The checks of a commit, and those of a pull request as the jobs of a run, which has the pull request's number.
import type { Check, Pull } from '../../../contract/pull.ts'
import { checksOf, readCheckLog } from '../../../forge/pulls/observe-pulls.ts'
import { tryGitOn } from '../../../git/repository.ts'
import { webUrl } from '../../describe/names.ts'
import { tabulate } from '../../describe/node.ts'
import { CHECK_REST, JOB_REST, RUN_REST } from '../../describe/rest-tables.ts'
import { describeCheck, describeJob, describeRun, findJob, WORKFLOW, WORKFLOW_ID } from '../../describe/run.ts'
import { type Gh, observeAll } from '../../open-gh.ts'
import { hasChecks, rerunChecks } from '../../run.ts'
import { notFound } from '../answer.ts'
import { created, defineRoute, ok, pullOf, type RestCall, type Route } from './define-route.ts'
import { listed } from './pull-routes.ts'

const LOG_BYTES = 1024 * 1024
const STATES = {
  passed: 'success',
  failed: 'failure',
  pending: 'pending',
  running: 'pending',
  skipped: 'success',
} as const

/** A branch, a tag or a commit, possibly abbreviated. */
async function commitOf({ gh, params }: RestCall): Promise<string> {
  const ref = params.ref!
  for (const name of [`refs/heads/${ref}`, `refs/tags/${ref}`, ref]) {
    if (name === ref && !/^(?:[0-9a-f]{7,64}|HEAD)$/.test(ref)) break
    const args = ['rev-parse', '--verify', '--quiet', `${name}^{commit}`]
    const found = await tryGitOn(gh.forge.repository(), args, { read: true })
    if (found.ok) return found.stdout.trim()
  }
  throw notFound(`No commit found for SHA: ${ref}`)
}

/** Pending checks exist only for the head of an open pull request; for other commits only what has run is known. */
async function readChecks(call: RestCall): Promise<{ sha: string; checks: Check[]; pulls: Pull[] }> {
  const sha = await commitOf(call)
  const pulls = (await observeAll(call.gh)).filter(({ headSha }) => headSha === sha)
  const open = pulls.find(({ state }) => state === 'open')
  const all = (open ?? pulls[0])?.checks ?? checksOf(call.gh.forge, sha, null)
  return { sha, checks: all.filter(({ status }) => open || status !== 'pending'), pulls }
}

function check(gh: Gh, one: Check, { sha, pulls }: { sha: string; pulls: Pull[] }) {
  const page = pulls[0] === undefined ? {} : { page: pulls[0].pr.url }
  return tabulate(describeCheck(gh, one, { sha, ...page }), CHECK_REST, gh)
}

const CHECKS: readonly Route[] = [
  defineRoute(
    'GET commits/*ref/check-runs',
    { query: ['check_name', 'status', 'filter'], isList: true },
    async (call) => {
      const found = await readChecks(call)
      const [name, status] = [call.query.get('check_name'), call.query.get('status')]
      const runs = (await Promise.all(found.checks.map((one) => check(call.gh, one, found)))).filter(
        (run) => (name ?? run.name) === run.name && (status ?? run.status) === run.status,
      )
      return ok({ total_count: runs.length, check_runs: runs })
    },
  ),
  defineRoute('GET commits/*ref/status', {}, async (call) => {
    const found = await readChecks(call)
    const states = found.checks.map(({ status }) => STATES[status])
    const isPassed = states.length > 0 && states.every((one) => one === 'success')
    const statuses = await Promise.all(
      found.checks.map(async (one) => {
        const { id, html_url: target, completed_at: at, output } = await check(call.gh, one, found)
        const description = (output as { title: string | null }).title
        const state = STATES[one.status]
        return { id, context: one.name, state, description, target_url: target, updated_at: at }
      }),
    )
    const state = states.includes('failure') ? 'failure' : isPassed ? 'success' : 'pending'
    return ok({ state, sha: found.sha, total_count: statuses.length, statuses })
  }),
  defineRoute('GET commits/*ref/pulls', { isList: true }, async (call) =>
    ok(await listed(call.gh, (await readChecks(call)).pulls)),
  ),
  defineRoute('GET check-runs/:id', {}, async (call) => {
    const { pull, check: one } = await findJob(call.gh, call.params.id!)
    return ok(await check(call.gh, one, { sha: pull.headSha, pulls: [pull] }))
  }),
]

async function rerun(call: RestCall, onlyFailed: boolean) {
  await rerunChecks(call.gh, (await pullOf(call)).pr.number, { onlyFailed })
  return created({})
}

const RUN_LIST = { query: ['branch', 'head_sha', 'status', 'event'], isList: true } as const

async function listRuns({ gh, query }: RestCall) {
  const pulls = hasChecks(gh) ? (await observeAll(gh)).reverse() : []
  const all = await Promise.all(pulls.map((pull) => tabulate(describeRun(gh, pull), RUN_REST, gh)))
  const runs = all
    .filter((run) => (query.get('branch') ?? run.head_branch) === run.head_branch)
    .filter((run) => (query.get('head_sha') ?? run.head_sha) === run.head_sha)
    .filter((run) => (query.get('event') ?? run.event) === run.event)
    .filter((run) => [run.status, run.conclusion, undefined].includes(query.get('status')))
  return ok({ total_count: runs.length, workflow_runs: runs })
}

function describeWorkflow(gh: Gh) {
  const html_url = webUrl(gh)
  return { id: WORKFLOW_ID, node_id: `W_${WORKFLOW_ID}`, name: WORKFLOW, path: '', state: 'active', html_url }
}

function requireWorkflow({ gh, params }: RestCall): void {
  const names = [String(WORKFLOW_ID), WORKFLOW.toLowerCase()]
  if (hasChecks(gh) && names.includes((params.workflow ?? '').toLowerCase())) return
  throw notFound(
    `There is no workflow ${params.workflow}; the checks of the configuration are the workflow ${WORKFLOW_ID}`,
  )
}

export const RUN_ROUTES: readonly Route[] = [
  ...CHECKS,
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
    await pullOf(call)
    return ok({ total_count: 0, artifacts: [] })
  }),
  defineRoute('GET actions/runs/:number', {}, async (call) =>
    ok(await tabulate(describeRun(call.gh, await pullOf(call)), RUN_REST, call.gh)),
  ),
  defineRoute('GET actions/runs/:number/jobs', { isList: true }, async (call) => {
    const pull = await pullOf(call)
    const jobs = pull.checks.map((one) => tabulate(describeJob(call.gh, pull, one), JOB_REST, call.gh))
    return ok({ total_count: jobs.length, jobs: await Promise.all(jobs) })
  }),
  defineRoute('GET actions/jobs/:id', {}, async (call) => {
    const { pull, check: one } = await findJob(call.gh, call.params.id!)
    return ok(await tabulate(describeJob(call.gh, pull, one), JOB_REST, call.gh))
  }),
  defineRoute('GET actions/jobs/:id/logs', {}, async (call) => {
    const { check: one } = await findJob(call.gh, call.params.id!)
    return { status: 200, text: readCheckLog(call.gh.forge, one, LOG_BYTES) }
  }),
  defineRoute('POST actions/runs/:number/rerun', {}, (call) => rerun(call, false)),
  defineRoute('POST actions/runs/:number/rerun-failed-jobs', {}, (call) => rerun(call, true)),
]
