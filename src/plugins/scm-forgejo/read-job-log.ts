// The end of a failed job's log. Forgejo 16 and Gitea 1.24 have logs in their API; older ones and other CI have none.

import type { ProjectConfig } from '../../contract/config.ts'
import type { Check } from '../../contract/pull.ts'
import { apiPathOf, type ForgejoClient } from '../forgejo-api/forgejo-client.ts'
import { hasStatus } from '../http-api/http-api-error.ts'
import { READ_LOG_BYTES, tidyLog } from '../http-api/tidy-log.ts'

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
