// GitLab's issues in the slot's terms.

import type { ProjectConfig } from '../../contract/config.ts'
import { AoError } from '../../contract/errors.ts'
import type { Author } from '../../contract/pull.ts'
import type { Issue, IssueChange, IssueFilter } from '../../slots/tracker.ts'
import type { GitlabClient } from '../gitlab-api/gitlab-client.ts'
import { createAuthors, type GitlabUser } from '../gitlab-api/people.ts'
import { apiPathOf, gitlabAccess, iidInProject, parseReference, projectPathOf } from '../gitlab-api/project-path.ts'
import { type FoundComment, numberedTracker } from '../http-api/numbered-issues.ts'
import type { HostedTracker } from '../http-api/per-project.ts'

export function createGitlabTracker(client: GitlabClient): HostedTracker {
  const authors = createAuthors(client)
  return numberedTracker<GitlabIssue>({
    name: 'gitlab',
    hint: 'Check GITLAB_TOKEN: it needs the scope api',
    checkAccess: (project) => gitlabAccess(client, project),
    numberOf: (issueId, project) => iidInProject(issueId, 'issues', project, client.webUrl),
    read: async (iid, project) =>
      (await client.call<GitlabIssue>(`${apiPathOf(project)}/issues/${iid}`, { conditional: true })).data,
    toIssue: async (issue, project) => toIssue(issue, await authors(apiPathOf(project))(issue.author)),
    change: ({ iid }, change, project) => applyChange(client, `${apiPathOf(project)}/issues/${iid}`, change),
    async readBlockers(iid, project) {
      const links = await client.list<GitlabLink>(`${apiPathOf(project)}/issues/${iid}/links`, { conditional: true })
      return links.filter(({ link_type }) => link_type === 'is_blocked_by').map(({ web_url }) => web_url)
    },
    nameOf(address) {
      const reference = parseReference(address, 'issues', client.webUrl)
      return reference?.path === undefined ? null : `${reference.path}#${reference.iid}`
    },
    readComments: (since, project) => readComments(client, project, since),
    probe: (project) => client.call(apiPathOf(project), { conditional: true }),
    pageOf: (project) => `${client.webUrl}/${projectPathOf(project)}/-/issues`,
    describe: (project) => ({ what: 'project', name: projectPathOf(project) }),
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
  })
}

/** Of any kind of work: GitLab lists comments only as what happened in a project. */
interface GitlabCommented {
  note?: {
    id: number
    body: string
    author: GitlabUser | null
    created_at: string
    updated_at: string
    system: boolean
    noteable_type: string
    noteable_iid: number | null
  } | null
}

const DAY_MS = 24 * 3_600_000

async function readComments(client: GitlabClient, project: ProjectConfig, since: string): Promise<FoundComment[]> {
  // It takes days, and leaves out the one that it is given.
  const after = new Date(Date.parse(since) - DAY_MS).toISOString().slice(0, 10)
  const path = `${apiPathOf(project)}/events?action=commented&sort=asc&after=${after}`
  const events = await client.list<GitlabCommented>(path, { loop: true, conditional: true })
  return events.flatMap(({ note }) => {
    if (!note || note.system || note.noteable_type !== 'Issue' || note.noteable_iid === null) return []
    const { id, body, author, created_at: createdAt, updated_at: updatedAt } = note
    return [{ id, on: String(note.noteable_iid), author: author?.username ?? '', body, createdAt, updatedAt }]
  })
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

/** From the issue that was asked about. */
interface GitlabLink {
  web_url: string
  link_type: 'relates_to' | 'blocks' | 'is_blocked_by'
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
