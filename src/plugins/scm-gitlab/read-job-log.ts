// The end of a failed job's log. '' when there is none.
import type { Check } from '../../slots/scm.ts'
import type { GitlabClient } from '../gitlab-api/gitlab-client.ts'
import { hasStatus } from '../http-api/http-api-error.ts'
import { READ_LOG_BYTES, tidyLog } from '../http-api/tidy-log.ts'

export async function readJobLog(client: GitlabClient, check: Check): Promise<string> {
  const [, project, job] = /^job:([0-9]+):([0-9]+)$/.exec(check.id) ?? []
  if (job === undefined) return ''
  try {
    const path = `/projects/${project}/jobs/${job}/trace`
    return tidyLog((await client.call<string>(path, { tailBytes: READ_LOG_BYTES })).data)
  } catch (error) {
    // Erased, or never begun.
    if (hasStatus(error, 404)) return ''
    throw error
  }
}
