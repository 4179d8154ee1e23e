// Single merge requests, for people's commands; checks that the one meant is the project's own.

import type { ProjectConfig } from '../../contract/config.ts'
import { AoError } from '../../contract/errors.ts'
import type { PullRef } from '../../contract/pull.ts'
import type { GitlabClient } from '../gitlab-api/gitlab-client.ts'
import { apiPathOf, isSameProject, parseReference, projectPathOf } from '../gitlab-api/project-path.ts'
import { hasStatus } from '../http-api/http-api-error.ts'
import type { GitlabMergeRequest } from './gitlab-data.ts'

/** null: it belongs to another project, or nothing names a number. */
export function iidInProject(pr: PullRef, project: ProjectConfig, webUrl: string): number | null {
  const reference = parseReference(pr.url, 'merge_requests', webUrl)
  if (reference === null || !isSameProject(reference, projectPathOf(project))) return null
  return pr.number === undefined || pr.number === reference.iid ? reference.iid : null
}

/** The path of the API about this merge request. */
export function requestPath(pr: PullRef, project: ProjectConfig, webUrl: string): string {
  const iid = iidInProject(pr, project, webUrl)
  if (iid !== null) return `${apiPathOf(project)}/merge_requests/${iid}`
  throw new AoError('SCM_FAILED', `${pr.url} is not a merge request of ${projectPathOf(project)}`, {
    hint: `If the project was moved, change projects.${project.id}.repo in agent-orchestrator.yaml`,
    details: { pr: pr.url },
  })
}

export async function fetchRequest(client: GitlabClient, path: string): Promise<GitlabMergeRequest> {
  try {
    return (await client.call<GitlabMergeRequest>(path)).data
  } catch (error) {
    if (!hasStatus(error, 404)) throw error
    const iid = path.slice(path.lastIndexOf('/') + 1)
    throw new AoError('SCM_FAILED', `There is no merge request !${iid} in this project`, {
      hint: 'If it is there, the token may not see it: GITLAB_TOKEN needs the scope api',
      details: { iid, status: 404 },
      cause: error,
    })
  }
}

export async function resolveRequest(
  client: GitlabClient,
  reference: string,
  project: ProjectConfig,
): Promise<PullRef> {
  const path = projectPathOf(project)
  const parsed = parseReference(reference, 'merge_requests', client.webUrl)
  if (parsed === null || !isSameProject(parsed, path)) {
    throw new AoError('USAGE', `${JSON.stringify(reference)} names no merge request of ${path}`, {
      hint: 'Give its number, !number or URL',
    })
  }
  return toPrInfo(await fetchRequest(client, `${apiPathOf(project)}/merge_requests/${parsed.iid}`), project)
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
