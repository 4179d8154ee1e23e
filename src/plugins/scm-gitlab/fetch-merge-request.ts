// A merge request as GitLab returns it, in our terms.
import type { ProjectConfig } from '../../contract/config.ts'
import type { PullRef } from '../../contract/pull.ts'
import type { ForgePull } from '../forge-git/merge-exactly.ts'
import type { GitlabClient } from '../gitlab-api/gitlab-client.ts'
import { apiPathOf, projectPathOf } from '../gitlab-api/project-path.ts'
import type { GitlabMergeRequest } from './gitlab-data.ts'
import { stateOf } from './merge-request-state.ts'

/** The path of the API about this merge request. */
export function requestPath(iid: number, project: ProjectConfig): string {
  return `${apiPathOf(project)}/merge_requests/${iid}`
}

export async function fetchRequest(client: GitlabClient, iid: number, project: ProjectConfig): Promise<ForgePull> {
  const { data: request } = await client.call<GitlabMergeRequest>(requestPath(iid, project))
  return {
    pr: toPrInfo(request, project),
    state: stateOf(request),
    headSha: request.sha,
    mergeCommit: commitOf(request),
  }
}

/** With a squash and no merge commit, the base branch got the squashed commit. */
export function commitOf(request: GitlabMergeRequest): string | null {
  return request.merge_commit_sha ?? request.squash_commit_sha ?? null
}

export function toPrInfo(request: GitlabMergeRequest, project: ProjectConfig): PullRef & { number: number } {
  const path = projectPathOf(project)
  const slash = path.lastIndexOf('/')
  return {
    url: request.web_url,
    number: request.iid,
    title: request.title,
    owner: path.slice(0, slash),
    repo: path.slice(slash + 1),
    branch: request.source_branch,
    ...(request.source_project_id !== request.target_project_id && { isFork: true }),
    baseBranch: request.target_branch,
    isDraft: request.draft ?? false,
  }
}
