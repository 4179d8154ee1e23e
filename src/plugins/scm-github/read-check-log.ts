// The end of a failed check's log: the job's log from Actions, else what the check itself reported. '' when there is none.
import { AoError } from '../../contract/errors.ts'
import type { Check } from '../../contract/pull.ts'
import type { GithubClient } from '../github-api/github-client.ts'
import type { RepositoryName } from '../github-api/repository-name.ts'
import { hasStatus } from '../http-api/http-api-error.ts'
import { READ_LOG_BYTES, tidyLog } from '../http-api/tidy-log.ts'

interface CheckRun {
  output: { title: string | null; summary: string | null; text: string | null; annotations_count: number }
}

interface Annotation {
  path: string
  start_line: number
  annotation_level: string
  message: string
}

export async function readCheckLog(client: GithubClient, name: RepositoryName, check: Check): Promise<string> {
  const id = /^check:([0-9]+)$/.exec(check.id)?.[1]
  // A commit status is a line of text on another server.
  if (id === undefined) return ''
  const log = await jobLog(client, name, jobIdOf(check) ?? id)
  return log === '' ? checkOutput(client, name, id) : log
}

/** Actions gives a job and its check the same number, which is also in the URL. */
function jobIdOf({ url }: Check): string | undefined {
  return /\/actions\/runs\/[0-9]+\/jobs?\/([0-9]+)/.exec(url ?? '')?.[1]
}

/** Failed jobs of Actions; what another service reported runs again on its own page only. */
export async function rerunJobs(client: GithubClient, name: RepositoryName, checks: readonly Check[]): Promise<void> {
  const runs = checks.flatMap(({ status, url = '' }) => {
    const run = status === 'failed' ? /\/actions\/runs\/([0-9]+)\/jobs?\/[0-9]+/.exec(url)?.[1] : undefined
    return run ?? []
  })
  if (runs.length === 0) throw new AoError('USAGE', 'No job of GitHub Actions has failed there')
  // Once for each run: while one of its jobs runs again, GitHub refuses the others.
  const route = 'POST /repos/{owner}/{repo}/actions/runs/{run_id}/rerun-failed-jobs'
  for (const run of new Set(runs)) await client.rest(route, { ...name, run_id: Number(run) })
}

async function jobLog(client: GithubClient, name: RepositoryName, jobId: string): Promise<string> {
  const route = 'GET /repos/{owner}/{repo}/actions/jobs/{job_id}/logs'
  try {
    const log = await client.rest(route, { ...name, job_id: Number(jobId) }, { tailBytes: READ_LOG_BYTES })
    return tidyLog(asText(log))
  } catch (error) {
    // Not a job of Actions, or its log has expired.
    if (hasStatus(error, 404, 410)) return ''
    throw error
  }
}

async function checkOutput(client: GithubClient, name: RepositoryName, id: string): Promise<string> {
  const run = '/repos/{owner}/{repo}/check-runs/{check_run_id}'
  const target = { ...name, check_run_id: Number(id) }
  try {
    const { output } = await client.rest<CheckRun>(`GET ${run}`, target)
    const annotations =
      output.annotations_count > 0
        ? await client.rest<Annotation[]>(`GET ${run}/annotations`, { ...target, per_page: 50 })
        : []
    const lines = annotations.map((one) => `${one.path}:${one.start_line}: ${one.annotation_level}: ${one.message}`)
    return tidyLog([output.title, output.summary, output.text, ...lines].filter(Boolean).join('\n'))
  } catch (error) {
    if (hasStatus(error, 404, 410)) return ''
    throw error
  }
}

function asText(data: unknown): string {
  if (typeof data === 'string') return data
  return data instanceof ArrayBuffer ? Buffer.from(data).toString('utf8') : ''
}
