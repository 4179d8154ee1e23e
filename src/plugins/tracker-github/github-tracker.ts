// GitHub's issues in the slot's terms.

import type { Issue, IssueChange, IssueFilter } from '../../slots/tracker.ts'
import { isMemberAssociation } from '../github-api/author.ts'
import type { GithubClient } from '../github-api/github-client.ts'
import { githubAccess } from '../github-api/github-client.ts'
import {
  fullName,
  nameOfReference,
  numberInProject,
  parseReference,
  type RepositoryName,
  repositoryOf,
} from '../github-api/repository-name.ts'
import { hasStatus } from '../http-api/http-api-error.ts'
import { type FoundComment, numberedTracker, orNoRelations } from '../http-api/numbered-issues.ts'
import type { HostedTracker } from '../http-api/per-project.ts'

export function createGithubTracker(client: GithubClient): HostedTracker {
  const { webUrl } = client
  return numberedTracker<GithubIssue>({
    name: 'github',
    hint: 'Check the access with: gh auth status',
    checkAccess: (project) => githubAccess(client, project),
    numberOf: (issueId, project) => numberInProject(issueId, 'issues', project, webUrl),
    async read(number, project) {
      const target = { ...repositoryOf(project), issue_number: number }
      const issue = await client.rest<GithubIssue>(`GET ${ISSUE}`, target, { conditional: true })
      // GitHub numbers pull requests and issues together and answers for both.
      return issue.pull_request === undefined ? issue : null
    },
    toIssue: async (issue) => toIssue(issue),
    change: ({ number }, change, project) =>
      applyChange(client, { ...repositoryOf(project), issue_number: number }, change),
    readBlockers: (number, project) => readBlockers(client, { ...repositoryOf(project), issue_number: number }),
    nameOf: (address) => nameOfReference(parseReference(address, 'issues', webUrl)),
    readComments: (since, project) => readComments(client, repositoryOf(project), since),
    probe: (project) => client.rest('GET /repos/{owner}/{repo}', { ...repositoryOf(project) }, { conditional: true }),
    pageOf: (project) => `${webUrl}/${fullName(project)}/issues`,
    describe: (project) => ({ what: 'repository', name: fullName(project) }),
    listIssues: async (filter, project) => listIssues(client, repositoryOf(project), filter),
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
  })
}

interface GithubComment {
  id: number
  html_url: string
  body?: string | null
  created_at: string
  updated_at: string
  user: { login: string } | null
}

async function readComments(client: GithubClient, target: RepositoryName, since: string): Promise<FoundComment[]> {
  const how = { ...target, since, sort: 'created', direction: 'asc', per_page: 100 }
  const found: FoundComment[] = []
  for (let page = 1; page <= MAX_PAGES; page += 1) {
    const route = 'GET /repos/{owner}/{repo}/issues/comments'
    const comments = await client.rest<GithubComment[]>(route, { ...how, page }, { loop: true, conditional: true })
    for (const { id, html_url: on, body, created_at: createdAt, updated_at: updatedAt, user } of comments)
      found.push({ id, on, author: user?.login ?? '', body: body ?? '', createdAt, updatedAt })
    if (comments.length < 100) return found
  }
  throw new Error(`${target.owner}/${target.repo} has more than ${MAX_PAGES * 100} new comments`)
}

const ISSUE = '/repos/{owner}/{repo}/issues/{issue_number}'

/** Issues that block it, and its own sub-issues. */
async function readBlockers(
  client: GithubClient,
  target: RepositoryName & { issue_number: number },
): Promise<string[]> {
  // A server that knows one of them need not know the other.
  const read = (relation: string) =>
    client
      .rest<Array<Pick<GithubIssue, 'html_url'>>>(`GET ${ISSUE}/${relation}`, { ...target, per_page: 100 })
      .catch(orNoRelations)
  const related = (await Promise.all([read('dependencies/blocked_by'), read('sub_issues')])).flat()
  return related.map(({ html_url }) => html_url)
}

/** The comment first: when a later step fails, the comment that explains the change is already there. */
async function applyChange(
  client: GithubClient,
  target: RepositoryName & { issue_number: number },
  change: IssueChange,
): Promise<void> {
  if (change.comment !== undefined) await client.rest(`POST ${ISSUE}/comments`, { ...target, body: change.comment })
  if (change.labels?.length) await client.rest(`POST ${ISSUE}/labels`, { ...target, labels: change.labels })
  for (const name of change.removeLabels ?? []) {
    try {
      await client.rest(`DELETE ${ISSUE}/labels/{name}`, { ...target, name })
    } catch (error) {
      // It does not have the label, which is what was requested.
      if (!hasStatus(error, 404)) throw error
    }
  }
  if (change.assignee !== undefined) {
    await client.rest(`POST ${ISSUE}/assignees`, { ...target, assignees: [change.assignee] })
  }
  const fields = fieldsOf(change)
  if (Object.values(fields).some((value) => value !== undefined))
    await client.rest(`PATCH ${ISSUE}`, { ...target, ...fields })
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

interface GithubIssue {
  number: number
  title: string
  body: string | null
  html_url: string
  state: string
  state_reason?: string | null
  labels: Array<string | { name?: string | null }>
  assignees?: Array<{ login: string }> | null
  user: { login: string } | null
  author_association?: string
  created_at: string
  /** Present when the number is a pull request's. */
  pull_request?: unknown
}

/** An issue as GitHub returns it, and as the slot reads it. */
function toIssue(issue: GithubIssue): Issue {
  const assignee = issue.assignees?.[0]?.login
  return {
    id: String(issue.number),
    title: issue.title,
    description: issue.body ?? '',
    url: issue.html_url,
    state: stateOf(issue),
    labels: issue.labels.map((label) => (typeof label === 'string' ? label : (label.name ?? ''))).filter(Boolean),
    assignee,
    author: issue.user?.login ?? 'ghost',
    authorIsMember: isMemberAssociation(issue.author_association),
    createdAt: issue.created_at,
  }
}

function stateOf({ state, state_reason }: GithubIssue): Issue['state'] {
  if (state !== 'closed') return 'open'
  return state_reason === 'not_planned' || state_reason === 'duplicate' ? 'cancelled' : 'closed'
}
