// The checks of a commit: its statuses, which Forgejo's own Actions write too, and the end of a failed job's log.

import type { ProjectConfig } from '../../contract/config.ts'
import type { Check, Pull } from '../../contract/pull.ts'
import { ownValue } from '../../core/text/json-fields.ts'
import { apiPathOf, type ForgejoClient } from '../forgejo-api/forgejo-client.ts'
import { hasStatus } from '../http-api/http-api-error.ts'
import { READ_LOG_BYTES, tidyLog } from '../http-api/tidy-log.ts'
import type { ForgejoStatus } from './forgejo-data.ts'

const STATES: Readonly<Record<string, Check['status']>> = {
  pending: 'pending',
  success: 'passed',
  warning: 'passed',
  skipped: 'skipped',
  failure: 'failed',
  error: 'failed',
}

/** `ref`: a commit or a branch. The newest status of a context counts. */
export async function readChecks(client: ForgejoClient, apiPath: string, ref: string): Promise<Check[]> {
  const path = `${apiPath}/commits/${encodeURIComponent(ref)}/statuses`
  const all = await client.list<ForgejoStatus>(path, { loop: true })
  const newest = new Map<string, ForgejoStatus>()
  for (const one of all) if ((newest.get(one.context)?.id ?? 0) < one.id) newest.set(one.context, one)
  return [...newest.values()].map(({ id, context, status, target_url: url }) => ({
    id: `status:${id}`,
    name: context,
    status: ownValue(STATES, status) ?? 'failed',
    url: url || undefined,
  }))
}

export function summarize(checks: readonly Check[]): Pull['ci'] {
  const has = (...statuses: Check['status'][]) => checks.some(({ status }) => statuses.includes(status))
  if (has('failed')) return 'failing'
  if (has('pending', 'running')) return 'pending'
  return has('passed') ? 'passing' : 'none'
}

/** Forgejo 16 and Gitea 1.24 have logs in their API; older ones and other CI have none. */
interface Runs {
  workflow_runs?: Array<{ id: number }> | null
}

interface Jobs {
  jobs?: Array<{ id: number; name: string; html_url?: string }> | null
}

export async function readJobLog(
  client: ForgejoClient,
  { headSha, check, project }: { headSha: string; check: Check; project: ProjectConfig },
): Promise<string> {
  const actions = `${apiPathOf(project)}/actions`
  try {
    const { data: runs } = await client.call<Runs>(`${actions}/runs?head_sha=${headSha}`)
    for (const { id } of runs.workflow_runs ?? []) {
      const { data } = await client.call<Jobs>(`${actions}/runs/${id}/jobs`)
      const job = (data.jobs ?? []).find((one) => isJobOf(one, check))
      if (job === undefined) continue
      const log = await client.call<string>(`${actions}/jobs/${job.id}/logs`, { tailBytes: READ_LOG_BYTES })
      return tidyLog(log.data)
    }
    return ''
  } catch (error) {
    if (hasStatus(error, 404, 405)) return ''
    throw error
  }
}

/** A status from Actions is called `workflow / job (event)`, and links to the page of the job. */
function isJobOf({ name, html_url: url }: { name: string; html_url?: string }, check: Check): boolean {
  if (url !== undefined && url !== '' && check.url?.endsWith(new URL(url).pathname)) return true
  return check.name === name || check.name.includes(`/ ${name} (`)
}
