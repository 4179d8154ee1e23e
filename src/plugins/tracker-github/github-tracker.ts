// GitHub's issues in the slot's terms. "Does not exist" and "could not ask" are carefully distinguished.
import { AoError } from '../../contract/errors.ts'
import { branchForIssue } from '../../core/session/name-branch.ts'
import { type Issue, type IssueChange, type IssueFilter, IssueNotFoundError } from '../../slots/tracker.ts'
import { githubAccess } from '../github-api/github-access.ts'
import type { GithubClient } from '../github-api/github-client.ts'
import { isSameRepository, parseReference, type RepositoryName, repositoryOf } from '../github-api/repository-name.ts'
import { hasStatus } from '../http-api/http-api-error.ts'
import type { HostedTracker } from '../http-api/per-project.ts'
import { type GithubIssue, toIssue } from './github-issue.ts'

export function createGithubTracker(client: GithubClient): HostedTracker {
  const { webUrl } = client.connection
  const numberOf = (issueId: string, name: RepositoryName): number | null => {
    const reference = parseReference(issueId, 'issues', webUrl)
    return reference !== null && isSameRepository(reference, name) ? reference.number : null
  }
  const requireNumber = (issueId: string, name: RepositoryName): number => {
    const number = numberOf(issueId, name)
    if (number === null) throw new IssueNotFoundError(issueId)
    return number
  }

  return {
    name: 'github',
    checkAccess: (project) => githubAccess(client, project),
    async getIssue(issueId, project) {
      const name = repositoryOf(project)
      return toIssue(await fetchIssue(client, name, { issueId, number: requireNumber(issueId, name) }))
    },
    async isCompleted(issueId, project) {
      const name = repositoryOf(project)
      const issue = await fetchIssue(client, name, { issueId, number: requireNumber(issueId, name) })
      return issue.state === 'closed'
    },
    issueUrl(issueId, project) {
      const name = repositoryOf(project)
      return `${webUrl}/${name.owner}/${name.repo}/issues/${numberOf(issueId, name) ?? encodeURIComponent(issueId)}`
    },
    branchName(issueId, project) {
      const number = numberOf(issueId, repositoryOf(project))
      return number === null ? branchForIssue(issueId) : `feat/issue-${number}`
    },
    async listIssues(filter, project) {
      return listIssues(client, repositoryOf(project), filter)
    },
    async createIssue(issue, project) {
      const created = await client.rest<GithubIssue>('POST /repos/{owner}/{repo}/issues', {
        ...repositoryOf(project),
        title: issue.title,
        body: issue.description,
        labels: issue.labels?.length ? issue.labels : undefined,
        assignees: issue.assignee === undefined ? undefined : [issue.assignee],
      })
      return toIssue(created)
    },
    async updateIssue(issueId, change, project) {
      const name = repositoryOf(project)
      const number = requireNumber(issueId, name)
      await fetchIssue(client, name, { issueId, number })
      await applyChange(client, { ...name, issue_number: number }, change)
    },
  }
}

async function fetchIssue(
  client: GithubClient,
  name: RepositoryName,
  { issueId, number }: { issueId: string; number: number },
): Promise<GithubIssue> {
  const route = 'GET /repos/{owner}/{repo}/issues/{issue_number}'
  try {
    const issue = await client.rest<GithubIssue>(route, { ...name, issue_number: number }, { conditional: true })
    // GitHub numbers pull requests and issues together and answers for both.
    if (issue.pull_request === undefined) return issue
  } catch (error) {
    if (!hasStatus(error, 404, 410)) throw error
    await requireVisible(client, name)
  }
  throw new IssueNotFoundError(issueId, `There is no issue #${number} in ${name.owner}/${name.repo}`)
}

/** GitHub returns 404 for everything in a repository that the token may not see: that is not "no such issue". */
async function requireVisible(client: GithubClient, name: RepositoryName): Promise<void> {
  try {
    await client.rest('GET /repos/{owner}/{repo}', { ...name }, { conditional: true })
  } catch (error) {
    if (!hasStatus(error, 404)) throw error
    throw new AoError(
      'TRACKER_FAILED',
      `The repository ${name.owner}/${name.repo} does not exist, or the token may not see it`,
      { hint: 'Check the access with: gh auth status', cause: error },
    )
  }
}

/** The comment first: when a later step fails, the comment that explains the change is already there. */
async function applyChange(
  client: GithubClient,
  target: RepositoryName & { issue_number: number },
  change: IssueChange,
): Promise<void> {
  const issue = '/repos/{owner}/{repo}/issues/{issue_number}'
  if (change.comment !== undefined) await client.rest(`POST ${issue}/comments`, { ...target, body: change.comment })
  if (change.labels?.length) await client.rest(`POST ${issue}/labels`, { ...target, labels: change.labels })
  for (const name of change.removeLabels ?? []) {
    try {
      await client.rest(`DELETE ${issue}/labels/{name}`, { ...target, name })
    } catch (error) {
      // It does not have the label, which is what was requested.
      if (!hasStatus(error, 404)) throw error
    }
  }
  if (change.assignee !== undefined) {
    await client.rest(`POST ${issue}/assignees`, { ...target, assignees: [change.assignee] })
  }
  const fields = fieldsOf(change)
  if (Object.values(fields).some((value) => value !== undefined))
    await client.rest(`PATCH ${issue}`, { ...target, ...fields })
}

/** GitHub has no `in_progress`: such an issue is open there. */
function fieldsOf(change: IssueChange): Record<string, unknown> {
  return {
    title: change.title,
    body: change.description,
    state: change.state === 'in_progress' ? undefined : change.state,
    state_reason: change.state === 'closed' ? 'completed' : undefined,
  }
}

const DEFAULT_LIMIT = 30
/** Even a repository that consists mostly of pull requests ends here. */
const MAX_PAGES = 20

/** Without the pull requests that GitHub includes. */
async function listIssues(client: GithubClient, name: RepositoryName, filter: IssueFilter): Promise<Issue[]> {
  const limit = filter.limit ?? DEFAULT_LIMIT
  // Pages of equal size, or the second one would begin at the wrong offset.
  const perPage = Math.min(Math.max(limit, 30), 100)
  const found: Issue[] = []
  for (let page = 1; page <= MAX_PAGES && found.length < limit; page += 1) {
    const issues = await client.rest<GithubIssue[]>(
      'GET /repos/{owner}/{repo}/issues',
      {
        ...name,
        state: filter.state ?? 'open',
        labels: filter.labels?.length ? filter.labels.join(',') : undefined,
        assignee: filter.assignee,
        per_page: perPage,
        page,
      },
      { conditional: true },
    )
    found.push(...issues.filter((issue) => issue.pull_request === undefined).map(toIssue))
    if (issues.length < perPage) break
  }
  return found.slice(0, limit)
}
