// Changes of an issue. Jira wants ids where people use names, and a state is reached by a transition that its workflow offers.
import { AoError } from '../../contract/errors.ts'
import type { IssueChange } from '../../slots/tracker.ts'
import { toDocument } from './document-text.ts'
import type { JiraClient } from './jira-client.ts'
import type { JiraIssue, StatusCategory } from './jira-issue.ts'

/** The comment first: when a later step fails, the comment that explains the change is already there. */
export async function changeJiraIssue(
  { call, ...rest }: JiraClient,
  issue: JiraIssue,
  change: IssueChange,
): Promise<void> {
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

export function requireLabels(names: readonly string[]): string[] {
  const odd = names.find((name) => /\s/.test(name))
  if (odd === undefined) return [...names]
  throw new AoError('TRACKER_FAILED', `Jira takes no label with spaces: ${odd}`, {
    hint: `Write it as: ${odd.trim().replace(/\s+/g, '-')}`,
  })
}

/** By display name or e-mail address. */
export async function accountOf({ call }: JiraClient, name: string): Promise<string> {
  const path = `/user/search?query=${encodeURIComponent(name)}`
  const users = (await call<Array<{ accountId: string; displayName: string; emailAddress?: string }>>(path)).data
  const same = (text: string | undefined) => text?.toLowerCase() === name.toLowerCase()
  const found = users.find(({ displayName, emailAddress }) => same(displayName) || same(emailAddress))
  if (found) return found.accountId
  throw new AoError('TRACKER_FAILED', `Jira knows no user ${name}`)
}
