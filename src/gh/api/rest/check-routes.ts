import type { Check } from '../../../contract/pull.ts'
import { checksOf, observePulls, type PullView } from '../../../forge/pulls/observe-pulls.ts'
import { tryGitOn } from '../../../git/repository.ts'
import type { Gh } from '../../open-gh.ts'
import { findJob, JOB_ENDS, JOB_STATES, jobId, jobTimes } from '../../run/job.ts'
import { notFound } from '../answer.ts'
import { defineRoute, ok, type RestCall, type Route } from './define-route.ts'
import { apiUrl, webUrl } from './describe-names.ts'
import { describePull } from './describe-pull.ts'

const _LOG_BYTES = 1024 * 1024
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
    const found = await tryGitOn(gh.forge.repository(), ['rev-parse', '--verify', '--quiet', `${name}^{commit}`], {
      read: true,
    })
    if (found.ok) return found.stdout.trim()
  }
  throw notFound(`No commit found for SHA: ${ref}`)
}

interface CommitChecks {
  sha: string
  checks: Check[]
  pulls: PullView[]
}

/** Pending checks exist only for the head of an open pull request; for other commits only what has run is known. */
async function readChecks(call: RestCall): Promise<CommitChecks> {
  const sha = await commitOf(call)
  const pulls = (await observePulls(call.gh.forge, call.gh.forge.pulls.list())).filter(({ headSha }) => headSha === sha)
  const isDue = pulls.some(({ state }) => state === 'open')
  const all = pulls.find(({ state }) => state === 'open')?.checks ?? pulls[0]?.checks
  const checks = (all ?? checksOf(call.gh.forge, sha, null)).filter(({ status }) => isDue || status !== 'pending')
  return { sha, checks, pulls }
}

export function describeRun(gh: Gh, sha: string, check: Check) {
  const { startedAt, completedAt, why } = jobTimes(gh.forge, check)
  const id = jobId(check)
  const address = `${webUrl(gh)}/checks/${encodeURIComponent(check.name)}`
  return {
    id,
    node_id: `CR_${id}`,
    name: check.name,
    head_sha: sha,
    status: JOB_STATES[check.status],
    conclusion: JOB_ENDS[check.status] || null,
    started_at: startedAt,
    completed_at: completedAt,
    html_url: address,
    details_url: address,
    url: apiUrl(gh, `check-runs/${id}`),
    output: { title: why === '' ? null : why, summary: null, text: null, annotations_count: 0 },
    app: { slug: 'ao', name: 'ao' },
  }
}

export const CHECK_ROUTES: readonly Route[] = [
  defineRoute(
    'GET commits/*ref/check-runs',
    { query: ['check_name', 'status', 'filter'], isList: true },
    async (call) => {
      const { sha, checks } = await readChecks(call)
      const [name, status] = [call.query.get('check_name'), call.query.get('status')]
      const runs = checks
        .map((check) => describeRun(call.gh, sha, check))
        .filter((run) => (name ?? run.name) === run.name && (status ?? run.status) === run.status)
      return ok({ total_count: runs.length, check_runs: runs })
    },
  ),
  defineRoute('GET commits/*ref/status', {}, async (call) => {
    const { sha, checks } = await readChecks(call)
    const states = checks.map(({ status }) => STATES[status])
    const state = states.includes('failure')
      ? 'failure'
      : states.length > 0 && states.every((one) => one === 'success')
        ? 'success'
        : 'pending'
    const statuses = checks.map((check) => {
      const { html_url: target, completed_at: at, output, id } = describeRun(call.gh, sha, check)
      return {
        id,
        context: check.name,
        state: STATES[check.status],
        description: output.title,
        target_url: target,
        updated_at: at,
      }
    })
    return ok({ state, sha, total_count: statuses.length, statuses })
  }),
  defineRoute('GET commits/*ref/pulls', { isList: true }, async (call) => {
    const { pulls } = await readChecks(call)
    return ok(pulls.map((view) => describePull(call.gh, view)))
  }),
  defineRoute('GET check-runs/:id', {}, async (call) => {
    const { view, check } = await findJob(call.gh.forge, call.params.id!)
    return ok(describeRun(call.gh, view.headSha, check))
  }),
]
