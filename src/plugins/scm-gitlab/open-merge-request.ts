// Opens a merge request for a branch that an agent pushed.

import type { ProjectConfig } from '../../contract/config.ts'
import type { PullRef } from '../../contract/pull.ts'
import type { NewPR } from '../../slots/scm.ts'
import type { GitlabClient } from '../gitlab-api/gitlab-client.ts'
import { apiPathOf } from '../gitlab-api/project-path.ts'
import { hasStatus } from '../http-api/http-api-error.ts'
import { toPrInfo } from './fetch-merge-request.ts'
import type { GitlabMergeRequest } from './gitlab-data.ts'

export async function openRequest(
  client: GitlabClient,
  request: NewPR,
  project: ProjectConfig,
): Promise<PullRef | null> {
  const path = `${apiPathOf(project)}/merge_requests`
  const branch = encodeURIComponent(request.branch)
  // A closed one is not reopened.
  const { data: earlier } = await client.call<unknown[]>(`${path}?state=all&source_branch=${branch}`, { loop: true })
  if (earlier.length > 0) return null
  try {
    const body = {
      source_branch: request.branch,
      target_branch: project.defaultBranch,
      title: request.title,
      description: request.body,
    }
    return toPrInfo((await client.call<GitlabMergeRequest>(path, { method: 'POST', body, loop: true })).data, project)
  } catch (error) {
    // Another open one came first; the next reading finds it.
    if (hasStatus(error, 409)) return null
    throw error
  }
}
