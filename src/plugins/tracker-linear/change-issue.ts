// New issues and changes. Linear wants ids where people use names: of states, labels and users.
import { AoError } from '../../contract/errors.ts'
import type { IssueChange, NewIssue } from '../../slots/tracker.ts'
import type { LinearClient } from './linear-client.ts'
import { ISSUE_FIELDS, type LinearIssue } from './linear-issue.ts'

type Nodes = Array<{ id: string; name: string }>

export async function createIssue(client: LinearClient, issue: NewIssue, teamId: string): Promise<LinearIssue> {
  const mutation = `mutation CreateIssue($input: IssueCreateInput!) {
    issueCreate(input: $input) { success issue { ...IssueFields } }
  }${ISSUE_FIELDS}`
  const input = {
    teamId,
    title: issue.title,
    description: issue.description,
    labelIds: issue.labels?.length ? await labelIds(client, teamId, issue.labels) : undefined,
    assigneeId: issue.assignee === undefined ? undefined : await userId(client, issue.assignee),
  }
  const { issueCreate } = await client.change<{ issueCreate: Payload & { issue: LinearIssue } }>(mutation, { input })
  requireSuccess(issueCreate, 'created')
  return issueCreate.issue
}

interface Payload {
  success: boolean
}

/** The comment first: when a later step fails, the comment that explains the change is already there. */
export async function changeLinearIssue(client: LinearClient, issue: LinearIssue, change: IssueChange): Promise<void> {
  if (change.comment !== undefined) {
    const mutation = `mutation AddComment($input: CommentCreateInput!) { commentCreate(input: $input) { success } }`
    const input = { issueId: issue.id, body: change.comment }
    const { commentCreate } = await client.change<{ commentCreate: Payload }>(mutation, { input })
    requireSuccess(commentCreate, 'commented on')
  }
  const removed = issue.labels.nodes.filter(({ name }) => change.removeLabels?.includes(name)).map(({ id }) => id)
  const input = {
    title: change.title,
    description: change.description,
    addedLabelIds: change.labels?.length ? await labelIds(client, issue.team.id, change.labels) : undefined,
    removedLabelIds: removed.length > 0 ? removed : undefined,
    assigneeId: change.assignee === undefined ? undefined : await userId(client, change.assignee),
    stateId: change.state === undefined ? undefined : await stateId(client, issue.team.id, change.state),
  }
  if (Object.values(input).every((value) => value === undefined)) return
  const mutation = `mutation ChangeIssue($id: String!, $input: IssueUpdateInput!) {
    issueUpdate(id: $id, input: $input) { success }
  }`
  const { issueUpdate } = await client.change<{ issueUpdate: Payload }>(mutation, { id: issue.id, input })
  requireSuccess(issueUpdate, 'changed')
}

/** In Linear's order of preference: a team need not have every type. */
const STATE_TYPES = {
  open: ['unstarted', 'backlog', 'triage'],
  in_progress: ['started'],
  closed: ['completed'],
} as const

async function stateId(client: LinearClient, teamId: string, state: keyof typeof STATE_TYPES): Promise<string> {
  const query = `query FindStates($filter: WorkflowStateFilter!) {
    workflowStates(filter: $filter, first: 50) { nodes { id type position } }
  }`
  const types: readonly string[] = STATE_TYPES[state]
  const filter = { team: { id: { eq: teamId } }, type: { in: [...types] } }
  const { workflowStates } = await client.query<{
    workflowStates: { nodes: Array<{ id: string; type: string; position: number }> }
  }>(query, { filter })
  const best = workflowStates.nodes.sort(
    (a, b) => types.indexOf(a.type) - types.indexOf(b.type) || a.position - b.position,
  )[0]
  if (best !== undefined) return best.id
  throw new AoError('TRACKER_FAILED', `The team has no state of type ${types.join(' or ')} in Linear`)
}

/** Labels of the team or of the whole workspace; missing ones are created, as in other trackers. */
async function labelIds(client: LinearClient, teamId: string, names: readonly string[]): Promise<string[]> {
  const query = `query FindLabels($filter: IssueLabelFilter!) {
    issueLabels(filter: $filter, first: 100) { nodes { id name } }
  }`
  const filter = { name: { in: [...names] }, or: [{ team: { id: { eq: teamId } } }, { team: { null: true } }] }
  const { issueLabels } = await client.query<{ issueLabels: { nodes: Nodes } }>(query, { filter })
  const labelIds = new Map(issueLabels.nodes.map(({ name, id }) => [name, id]))
  const ids: string[] = []
  for (const name of names) ids.push(labelIds.get(name) ?? (await createLabel(client, teamId, name)))
  return ids
}

async function createLabel(client: LinearClient, teamId: string, name: string): Promise<string> {
  const mutation = `mutation CreateLabel($input: IssueLabelCreateInput!) {
    issueLabelCreate(input: $input) { success issueLabel { id } }
  }`
  const { issueLabelCreate } = await client.change<{ issueLabelCreate: Payload & { issueLabel: { id: string } } }>(
    mutation,
    { input: { name, teamId } },
  )
  requireSuccess(issueLabelCreate, `given the label ${name}`)
  return issueLabelCreate.issueLabel.id
}

async function userId(client: LinearClient, name: string): Promise<string> {
  const query = `query FindUser($filter: UserFilter!) { users(filter: $filter, first: 1) { nodes { id } } }`
  const filter = { or: [{ displayName: { eqIgnoreCase: name } }, { email: { eqIgnoreCase: name } }] }
  const { users } = await client.query<{ users: { nodes: Array<{ id: string }> } }>(query, { filter })
  if (users.nodes[0] !== undefined) return users.nodes[0].id
  throw new AoError('TRACKER_FAILED', `Linear knows no user ${name}`)
}

function requireSuccess({ success }: Payload, what: string): void {
  if (!success) throw new AoError('TRACKER_FAILED', `The issue could not be ${what} in Linear`)
}
