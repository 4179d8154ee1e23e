// Forgejo's issues in the slot's terms.

import type { ProjectConfig } from '../../contract/config.ts'
import type { Author } from '../../contract/pull.ts'
import type { Issue, IssueChange, IssueFilter } from '../../slots/tracker.ts'
import { apiPathOf, type ForgejoClient, forgejoAccess } from '../forgejo-api/forgejo-client.ts'
import { createAuthors, type ForgejoUser } from '../forgejo-api/people.ts'
import { nameOfReference, numberInProject, parseReference } from '../github-api/repository-name.ts'
import { type FoundComment, numberedTracker } from '../http-api/numbered-issues.ts'
import type { HostedTracker } from '../http-api/per-project.ts'

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
  return numberedTracker<ForgejoIssue>({
    name: 'forgejo',
    hint: 'Check FORGEJO_TOKEN',
    checkAccess: (project) => forgejoAccess(client, project),
    numberOf: (issueId, project) => numberInProject(issueId, 'issues', project, client.webUrl),
    async read(number, project) {
      const { data } = await client.call<ForgejoIssue>(`${apiPathOf(project)}/issues/${number}`, { conditional: true })
      // Pull requests and issues are numbered together, and it answers for both.
      return data.pull_request == null ? data : null
    },
    toIssue: async (issue, project) => toIssue(issue, await authors(project)(issue.user)),
    change: (issue, change, project) => applyChange(client, apiPathOf(project), issue, change),
    async readBlockers(number, project) {
      const needed = await client.list<ForgejoIssue>(`${apiPathOf(project)}/issues/${number}/dependencies`)
      return needed.map(({ html_url }) => html_url)
    },
    nameOf: (address) => nameOfReference(parseReference(address, 'issues', client.webUrl)),
    readComments: (since, project) => readComments(client, project, since),
    probe: (project) => client.call(apiPathOf(project), { conditional: true }),
    pageOf: (project) => `${client.webUrl}/${project.repo}/issues`,
    describe: (project) => ({ what: 'repository', name: project.repo ?? '' }),
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
  })
}

interface ForgejoComment {
  id: number
  html_url: string
  body: string
  created_at: string
  updated_at: string
  user: ForgejoUser | null
}

async function readComments(client: ForgejoClient, project: ProjectConfig, since: string): Promise<FoundComment[]> {
  const path = `${apiPathOf(project)}/issues/comments?${new URLSearchParams({ since })}`
  const comments = await client.list<ForgejoComment>(path, { loop: true })
  return comments.map(({ id, html_url: on, body, created_at: createdAt, updated_at: updatedAt, user }) => {
    return { id, on, author: user?.login ?? '', body, createdAt, updatedAt }
  })
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

interface Label {
  id: number
  name: string
}

const COLOUR = '#70c24a'

/** Forgejo takes labels by number; a name that the repository does not know becomes a new label. */
async function labelIds(client: ForgejoClient, apiPath: string, names: readonly string[]): Promise<number[]> {
  if (names.length === 0) return []
  const existing = await client.list<Label>(`${apiPath}/labels`)
  const ids: number[] = []
  for (const name of names) {
    const label = existing.find((one) => one.name === name) ?? (await createLabel(client, apiPath, name))
    ids.push(label.id)
  }
  return ids
}

async function createLabel(client: ForgejoClient, apiPath: string, name: string): Promise<Label> {
  const body = { name, color: COLOUR }
  return (await client.call<Label>(`${apiPath}/labels`, { method: 'POST', body })).data
}
