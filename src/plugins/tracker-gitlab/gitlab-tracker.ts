// GitLab's issues in the slot's terms. "Does not exist" and "could not ask" are carefully distinguished.

import type { ProjectConfig } from '../../contract/config.ts'
import { AoError } from '../../contract/errors.ts'
import type { Author } from '../../contract/pull.ts'
import { branchForIssue } from '../../core/session/name-branch.ts'
import { type Issue, type IssueChange, type IssueFilter, IssueNotFoundError } from '../../slots/tracker.ts'
import { gitlabAccess } from '../gitlab-api/gitlab-access.ts'
import type { GitlabClient } from '../gitlab-api/gitlab-client.ts'
import { createAuthors, type GitlabUser } from '../gitlab-api/people.ts'
import { apiPathOf, isSameProject, parseReference, projectPathOf } from '../gitlab-api/project-path.ts'
import { hasStatus } from '../http-api/http-api-error.ts'
import type { HostedTracker } from '../http-api/per-project.ts'

export function createGitlabTracker(client: GitlabClient): HostedTracker {
  const authors = createAuthors(client)
  const iidOf = (issueId: string, project: ProjectConfig): number | null => {
    const reference = parseReference(issueId, 'issues', client.webUrl)
    return reference !== null && isSameProject(reference, projectPathOf(project)) ? reference.iid : null
  }
  const fetchOne = async (issueId: string, project: ProjectConfig): Promise<GitlabIssue> => {
    const iid = iidOf(issueId, project)
    if (iid === null) throw new IssueNotFoundError(issueId)
    return fetchIssue(client, project, iid)
  }

  return {
    name: 'gitlab',
    checkAccess: (project) => gitlabAccess(client, project),
    async getIssue(issueId, project) {
      const issue = await fetchOne(issueId, project)
      return toIssue(issue, await authors(apiPathOf(project))(issue.author))
    },
    isCompleted: async (issueId, project) => (await fetchOne(issueId, project)).state === 'closed',
    issueUrl(issueId, project) {
      const iid = iidOf(issueId, project)
      return `${client.webUrl}/${projectPathOf(project)}/-/issues/${iid ?? encodeURIComponent(issueId)}`
    },
    branchName(issueId, project) {
      const iid = iidOf(issueId, project)
      return iid === null ? branchForIssue(issueId) : `feat/issue-${iid}`
    },
    listIssues: (filter, project) => listIssues(client, filter, project),
    async createIssue(issue, project) {
      const body = {
        title: issue.title,
        description: issue.description,
        labels: issue.labels?.length ? issue.labels.join(',') : undefined,
        assignee_ids: issue.assignee === undefined ? undefined : [await userId(client, issue.assignee)],
      }
      const { data } = await client.call<GitlabIssue>(`${apiPathOf(project)}/issues`, { method: 'POST', body })
      return toIssue(data)
    },
    async updateIssue(issueId, change, project) {
      const { iid } = await fetchOne(issueId, project)
      await applyChange(client, `${apiPathOf(project)}/issues/${iid}`, change)
    },
  }
}

async function fetchIssue(client: GitlabClient, project: ProjectConfig, iid: number): Promise<GitlabIssue> {
  const base = apiPathOf(project)
  try {
    return (await client.call<GitlabIssue>(`${base}/issues/${iid}`, { conditional: true })).data
  } catch (error) {
    if (!hasStatus(error, 404, 410)) throw error
    await requireVisible(client, project)
    throw new IssueNotFoundError(String(iid), `There is no issue #${iid} in ${projectPathOf(project)}`)
  }
}

/** GitLab returns 404 for everything in a project that the token may not see: that is not "no such issue". */
async function requireVisible(client: GitlabClient, project: ProjectConfig): Promise<void> {
  try {
    await client.call(apiPathOf(project), { conditional: true })
  } catch (error) {
    if (!hasStatus(error, 404)) throw error
    const why = `The project ${projectPathOf(project)} does not exist, or the token may not see it`
    throw new AoError('TRACKER_FAILED', why, { hint: 'Check GITLAB_TOKEN: it needs the scope api', cause: error })
  }
}

async function listIssues(client: GitlabClient, filter: IssueFilter, project: ProjectConfig): Promise<Issue[]> {
  const states = { open: 'opened', closed: 'closed', all: 'all' } as const
  const limit = filter.limit ?? 30
  const query = new URLSearchParams({
    state: states[filter.state ?? 'open'],
    ...(filter.labels?.length ? { labels: filter.labels.join(',') } : {}),
    ...(filter.assignee === undefined ? {} : { assignee_username: filter.assignee }),
  })
  const found: GitlabIssue[] = []
  for (let page = 1; found.length < limit; page += 1) {
    const path = `${apiPathOf(project)}/issues?${query}&per_page=100&page=${page}`
    const { data } = await client.call<GitlabIssue[]>(path, { conditional: true })
    found.push(...data)
    if (data.length < 100) break
  }
  return found.slice(0, limit).map((issue) => toIssue(issue))
}

/** GitLab has no `in_progress`: such an issue is open there. */
const STATE_EVENTS = { closed: 'close', open: 'reopen', in_progress: undefined } as const

/** The comment first: when a later step fails, the comment that explains the change is already there. */
async function applyChange(client: GitlabClient, path: string, change: IssueChange): Promise<void> {
  if (change.comment !== undefined) {
    await client.call(`${path}/notes`, { method: 'POST', body: { body: change.comment } })
  }
  const body = {
    title: change.title,
    description: change.description,
    add_labels: change.labels?.length ? change.labels.join(',') : undefined,
    remove_labels: change.removeLabels?.length ? change.removeLabels.join(',') : undefined,
    assignee_ids: change.assignee === undefined ? undefined : [await userId(client, change.assignee)],
    state_event: change.state && STATE_EVENTS[change.state],
  }
  if (Object.values(body).some((value) => value !== undefined)) await client.call(path, { method: 'PUT', body })
}

async function userId(client: GitlabClient, username: string): Promise<number> {
  const { data } = await client.call<Array<{ id: number }>>(`/users?username=${encodeURIComponent(username)}`)
  if (data[0] !== undefined) return data[0].id
  throw new AoError('TRACKER_FAILED', `GitLab knows no user ${username}`)
}

interface GitlabIssue {
  iid: number
  title: string
  description: string | null
  web_url: string
  state: 'opened' | 'closed'
  labels: string[]
  assignees?: GitlabUser[] | null
  author: GitlabUser | null
  created_at: string
}

/** Whether the author belongs to the project is left out: in a list that would cost a call each. */
function toIssue(issue: GitlabIssue, author?: Author): Issue {
  const assignee = issue.assignees?.[0]?.username
  return {
    id: String(issue.iid),
    title: issue.title,
    description: issue.description ?? '',
    url: issue.web_url,
    state: issue.state === 'closed' ? 'closed' : 'open',
    labels: issue.labels,
    assignee,
    author: issue.author?.username ?? 'ghost',
    authorIsMember: author?.isMember,
    createdAt: issue.created_at,
  }
}
