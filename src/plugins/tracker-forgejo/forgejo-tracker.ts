// Forgejo's issues in the slot's terms. "Does not exist" and "could not ask" are carefully distinguished.

import type { ProjectConfig } from '../../contract/config.ts'
import { AoError } from '../../contract/errors.ts'
import type { Author } from '../../contract/pull.ts'
import { branchForIssue } from '../../core/session/name-branch.ts'
import { type Issue, type IssueChange, type IssueFilter, IssueNotFoundError } from '../../slots/tracker.ts'
import { forgejoAccess } from '../forgejo-api/forgejo-access.ts'
import { apiPathOf, type ForgejoClient } from '../forgejo-api/forgejo-client.ts'
import { createAuthors, type ForgejoUser } from '../forgejo-api/people.ts'
import { isSameRepository, parseReference, repositoryOf } from '../github-api/repository-name.ts'
import { hasStatus } from '../http-api/http-api-error.ts'
import type { HostedTracker } from '../http-api/per-project.ts'
import { labelIds } from './labels.ts'

interface ForgejoIssue {
  number: number
  title: string
  body: string | null
  html_url: string
  state: 'open' | 'closed'
  labels: Array<{ id: number; name: string }> | null
  assignees?: ForgejoUser[] | null
  user: ForgejoUser | null
  created_at: string
  pull_request?: object | null
}

export function createForgejoTracker(client: ForgejoClient): HostedTracker {
  const authors = createAuthors(client)
  const numberOf = (issueId: string, project: ProjectConfig): number | null => {
    const reference = parseReference(issueId, 'issues', client.webUrl)
    return reference !== null && isSameRepository(reference, repositoryOf(project)) ? reference.number : null
  }
  const fetchOne = async (issueId: string, project: ProjectConfig): Promise<ForgejoIssue> => {
    const number = numberOf(issueId, project)
    if (number === null) throw new IssueNotFoundError(issueId)
    return fetchIssue(client, project, number)
  }
  return {
    name: 'forgejo',
    checkAccess: (project) => forgejoAccess(client, project),
    async getIssue(issueId, project) {
      const issue = await fetchOne(issueId, project)
      return toIssue(issue, await authors(project)(issue.user))
    },
    isCompleted: async (issueId, project) => (await fetchOne(issueId, project)).state === 'closed',
    issueUrl: (issueId, project) =>
      `${client.webUrl}/${project.repo}/issues/${numberOf(issueId, project) ?? encodeURIComponent(issueId)}`,
    branchName(issueId, project) {
      const number = numberOf(issueId, project)
      return number === null ? branchForIssue(issueId) : `feat/issue-${number}`
    },
    listIssues: (filter, project) => listIssues(client, filter, project),
    async createIssue(issue, project) {
      const body = {
        title: issue.title,
        body: issue.description,
        labels: await labelIds(client, apiPathOf(project), issue.labels ?? []),
        assignees: issue.assignee === undefined ? [] : [issue.assignee],
      }
      const { data } = await client.call<ForgejoIssue>(`${apiPathOf(project)}/issues`, { method: 'POST', body })
      return toIssue(data)
    },
    async updateIssue(issueId, change, project) {
      await applyChange(client, apiPathOf(project), await fetchOne(issueId, project), change)
    },
  }
}

async function fetchIssue(client: ForgejoClient, project: ProjectConfig, number: number): Promise<ForgejoIssue> {
  try {
    const { data } = await client.call<ForgejoIssue>(`${apiPathOf(project)}/issues/${number}`, { conditional: true })
    // Pull requests and issues are numbered together, and it answers for both.
    if (data.pull_request == null) return data
  } catch (error) {
    if (!hasStatus(error, 404, 410)) throw error
    await requireVisible(client, project)
  }
  throw new IssueNotFoundError(String(number), `There is no issue #${number} in ${project.repo}`)
}

/** It returns 404 for everything in a repository that the token may not see: that is not "no such issue". */
async function requireVisible(client: ForgejoClient, project: ProjectConfig): Promise<void> {
  try {
    await client.call(apiPathOf(project), { conditional: true })
  } catch (error) {
    if (!hasStatus(error, 404)) throw error
    const why = `The repository ${project.repo} does not exist, or the token may not see it`
    throw new AoError('TRACKER_FAILED', why, { hint: 'Check FORGEJO_TOKEN', cause: error })
  }
}

async function listIssues(client: ForgejoClient, filter: IssueFilter, project: ProjectConfig): Promise<Issue[]> {
  const query = new URLSearchParams({ type: 'issues', state: filter.state ?? 'open' })
  if (filter.labels?.length) query.set('labels', filter.labels.join(','))
  if (filter.assignee !== undefined) query.set('assigned_by', filter.assignee)
  const all = await client.list<ForgejoIssue>(`${apiPathOf(project)}/issues?${query}`)
  // Some versions treat several labels as "any of them".
  const found = all.filter(({ labels }) => (filter.labels ?? []).every((name) => namesOf(labels).includes(name)))
  return found.slice(0, filter.limit ?? found.length).map((issue) => toIssue(issue))
}

/** The comment first: when a later step fails, the comment that explains the change is already there. */
async function applyChange(client: ForgejoClient, apiPath: string, issue: ForgejoIssue, change: IssueChange) {
  const path = `${apiPath}/issues/${issue.number}`
  if (change.comment !== undefined) {
    await client.call(`${path}/comments`, { method: 'POST', body: { body: change.comment } })
  }
  if (change.labels?.length) {
    const labels = await labelIds(client, apiPath, change.labels)
    await client.call(`${path}/labels`, { method: 'POST', body: { labels } })
  }
  for (const { id } of (issue.labels ?? []).filter(({ name }) => change.removeLabels?.includes(name))) {
    await client.call(`${path}/labels/${id}`, { method: 'DELETE' })
  }
  const fields = {
    title: change.title,
    body: change.description,
    state: change.state === undefined ? undefined : change.state === 'closed' ? 'closed' : 'open',
    assignees: change.assignee === undefined ? undefined : [change.assignee],
  }
  if (Object.values(fields).some((value) => value !== undefined)) {
    await client.call(path, { method: 'PATCH', body: fields })
  }
}

/** Whether the author belongs to the repository is left out: in a list that would cost a call each. */
function toIssue(issue: ForgejoIssue, author?: Author): Issue {
  return {
    id: String(issue.number),
    title: issue.title,
    description: issue.body ?? '',
    url: issue.html_url,
    state: issue.state,
    labels: namesOf(issue.labels),
    assignee: issue.assignees?.[0]?.login,
    author: issue.user?.login ?? 'ghost',
    authorIsMember: author?.isMember,
    createdAt: issue.created_at,
  }
}

function namesOf(labels: ForgejoIssue['labels']): string[] {
  return (labels ?? []).map(({ name }) => name)
}
