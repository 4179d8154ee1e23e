// Jira's issues in the slot's terms. "Does not exist" and "could not ask" are carefully distinguished.
import { AoError, errorText } from '../../contract/errors.ts'
import { branchForIssue } from '../../core/session/name-branch.ts'
import type { IssueChange } from '../../slots/tracker.ts'
import { type IssueFilter, IssueNotFoundError, type NewIssue, type Tracker } from '../../slots/tracker.ts'
import { hasStatus } from '../http-api/http-api-error.ts'
import { issuePrompt } from '../http-api/issue-prompt.ts'
import { toDocument } from './document-text.ts'
import type { JiraClient } from './jira-client.ts'
import type { StatusCategory } from './jira-issue.ts'
import { ISSUE_FIELDS, type JiraIssue, LIST_FIELDS, parseKey, toIssue, urlOf } from './jira-issue.ts'

export interface JiraScope {
  /** Its key. */
  project: string | null
  issueType: string
}

export function createJiraTracker(client: JiraClient, scope: JiraScope): Tracker {
  const { site } = client
  const keyOf = (issueId: string) => parseKey(issueId, site)
  const fetchIssue = async (issueId: string): Promise<JiraIssue> => {
    const key = keyOf(issueId)
    if (key === null) throw new IssueNotFoundError(issueId)
    try {
      return (await client.call<JiraIssue>(`/issue/${key}?fields=${ISSUE_FIELDS.join(',')}`)).data
    } catch (error) {
      if (hasStatus(error, 404)) throw new IssueNotFoundError(issueId)
      throw error
    }
  }
  return {
    name: 'jira',
    async checkAccess() {
      try {
        const { data } = await client.call<{ displayName: string }>('/myself')
        return { ok: true, detail: `the token is good; ${site} knows it as ${data.displayName}` }
      } catch (error) {
        const fix = error instanceof AoError ? error.hint : undefined
        return { ok: false, detail: errorText(error), fix: fix ?? 'Check JIRA_SITE, JIRA_EMAIL and JIRA_API_TOKEN' }
      }
    },
    getIssue: async (issueId) => toIssue(await fetchIssue(issueId), site),
    isCompleted: async (issueId) => (await fetchIssue(issueId)).fields.status.statusCategory.key === 'done',
    issueUrl: (issueId) => urlOf(site, keyOf(issueId) ?? issueId),
    branchName: (issueId) => branchForIssue(keyOf(issueId) ?? issueId),
    generatePrompt: (issue) => issuePrompt(issue),
    async blockersOf(issueId) {
      const { issuelinks = [], subtasks = [] } = (await fetchIssue(issueId)).fields
      // Sites may rename the type of a link; its key in Jira's own set is this.
      const blocking = issuelinks
        .filter(({ type }) => type.name === 'Blocks')
        .flatMap(({ inwardIssue }) => inwardIssue ?? [])
      return [...blocking, ...subtasks].map(({ key }) => key)
    },
    async listIssues(filter) {
      return (await listIssues(client, filter, scope)).map((issue) => toIssue(issue, site))
    },
    async createIssue(issue) {
      const fields = await newFields(client, issue, scope)
      const { data } = await client.call<{ key: string }>('/issue', { method: 'POST', body: { fields } })
      return toIssue(await fetchIssue(data.key), site)
    },
    async updateIssue(issueId, change) {
      await changeJiraIssue(client, await fetchIssue(issueId), change)
    },
  }
}

async function newFields(client: JiraClient, issue: NewIssue, { project, issueType }: JiraScope) {
  if (project === null) {
    throw new AoError('CONFIG_INVALID', 'The tracker jira needs to know in which project issues are created', {
      hint: 'Set project to its key in the options of the tracker',
    })
  }
  return {
    project: { key: project },
    issuetype: { name: issueType },
    summary: issue.title,
    description: toDocument(issue.description),
    labels: issue.labels && requireLabels(issue.labels),
    assignee: issue.assignee === undefined ? undefined : { accountId: await accountOf(client, issue.assignee) },
  }
}

interface FoundIssues {
  issues: JiraIssue[]
  nextPageToken?: string | null
}

const MOST_A_PAGE = 100

async function listIssues(client: JiraClient, filter: IssueFilter, { project }: JiraScope): Promise<JiraIssue[]> {
  const limit = filter.limit ?? 30
  const jql = await queryFor(client, filter, project)
  const found: JiraIssue[] = []
  let nextPageToken: string | undefined
  do {
    const maxResults = Math.min(limit - found.length, MOST_A_PAGE)
    const body = { jql, fields: LIST_FIELDS, maxResults, nextPageToken }
    const { data } = await client.call<FoundIssues>('/search/jql', { method: 'POST', body, readOnly: true })
    found.push(...data.issues)
    nextPageToken = data.nextPageToken ?? undefined
  } while (nextPageToken !== undefined && found.length < limit)
  return found
}

async function queryFor(client: JiraClient, filter: IssueFilter, project: string | null): Promise<string> {
  const { state = 'open', labels = [], assignee } = filter
  const parts = [
    ...(project === null ? [] : [`project = ${quote(project)}`]),
    ...(state === 'all' ? [] : [`statusCategory ${state === 'closed' ? '=' : '!='} Done`]),
    ...labels.map((label) => `labels = ${quote(label)}`),
    ...(assignee === undefined ? [] : [`assignee = ${quote(await accountOf(client, assignee))}`]),
  ]
  // Without any condition Jira refuses the query.
  return `${parts.length === 0 ? 'created IS NOT EMPTY' : parts.join(' AND ')} ORDER BY created DESC`
}

/** A value of JQL: nothing in it ends the string. */
function quote(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&').replace(/\s+/g, ' ')}"`
}

// Changes of an issue. Jira wants ids where people use names, and a state is reached by a transition that its workflow offers.

/** The comment first: when a later step fails, the comment that explains the change is already there. */
async function changeJiraIssue({ call, ...rest }: JiraClient, issue: JiraIssue, change: IssueChange): Promise<void> {
  const client = { call, ...rest }
  const path = `/issue/${issue.key}`
  const { title, description, comment, state } = change
  const labels = [
    ...requireLabels(change.labels ?? []).map((add) => ({ add })),
    ...(change.removeLabels ?? []).map((remove) => ({ remove })),
  ]
  if (comment !== undefined) await call(`${path}/comment`, { method: 'POST', body: { body: toDocument(comment) } })
  const fields = {
    summary: title,
    description: description === undefined ? undefined : toDocument(description),
    assignee: change.assignee === undefined ? undefined : { accountId: await accountOf(client, change.assignee) },
  }
  const update = labels.length === 0 ? undefined : { labels }
  if (update || Object.values(fields).some((value) => value !== undefined)) {
    await call(path, { method: 'PUT', body: { fields, update } })
  }
  if (state !== undefined) await moveTo(client, issue, state)
}

const CATEGORIES = { open: 'new', in_progress: 'indeterminate', closed: 'done' } as const

interface Transition {
  id: string
  name: string
  to: { name: string; statusCategory: { key: string } }
}

async function moveTo({ call }: JiraClient, { key, fields }: JiraIssue, state: keyof typeof CATEGORIES): Promise<void> {
  const wanted: StatusCategory = CATEGORIES[state]
  if (fields.status.statusCategory.key === wanted) return
  const path = `/issue/${key}/transitions`
  const { transitions } = (await call<{ transitions: Transition[] }>(path)).data
  // A reopened issue may go back to work immediately, where the workflow has no other way.
  const order = state === 'open' ? [wanted, 'indeterminate'] : [wanted]
  const found = order.flatMap((category) => transitions.filter(({ to }) => to.statusCategory.key === category))[0]
  if (found) {
    await call(path, { method: 'POST', body: { transition: { id: found.id } } })
    return
  }
  const offers = transitions.map(({ name }) => name).join(', ') || 'none'
  throw new AoError(
    'TRACKER_FAILED',
    `The workflow of ${key} leads from ${fields.status.name} to no state that means ${state}`,
    {
      hint: `Move it in Jira; its transitions are: ${offers}`,
    },
  )
}

function requireLabels(names: readonly string[]): string[] {
  const odd = names.find((name) => /\s/.test(name))
  if (odd === undefined) return [...names]
  throw new AoError('TRACKER_FAILED', `Jira takes no label with spaces: ${odd}`, {
    hint: `Write it as: ${odd.trim().replace(/\s+/g, '-')}`,
  })
}

/** By display name or e-mail address. */
async function accountOf({ call }: JiraClient, name: string): Promise<string> {
  const path = `/user/search?query=${encodeURIComponent(name)}`
  const users = (await call<Array<{ accountId: string; displayName: string; emailAddress?: string }>>(path)).data
  const same = (text: string | undefined) => text?.toLowerCase() === name.toLowerCase()
  const found = users.find(({ displayName, emailAddress }) => same(displayName) || same(emailAddress))
  if (found) return found.accountId
  throw new AoError('TRACKER_FAILED', `Jira knows no user ${name}`)
}
