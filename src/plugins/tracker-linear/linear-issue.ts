// An issue as Linear returns it, and as the slot reads it; and how people refer to an issue there.
import type { Issue } from '../../slots/tracker.ts'

export interface LinearIssue {
  id: string
  identifier: string
  title: string
  description: string | null
  url: string
  branchName: string
  priority: number
  createdAt: string
  state: { type: string }
  team: { id: string }
  labels: { nodes: Array<{ id: string; name: string }> }
  assignee: { displayName: string } | null
  creator: { displayName: string } | null
}

export const ISSUE_FIELDS = `
fragment IssueFields on Issue {
  id identifier title description url branchName priority createdAt
  state { type }
  team { id }
  labels(first: 50) { nodes { id name } }
  assignee { displayName }
  creator { displayName }
}`

export function toIssue(issue: LinearIssue): Issue {
  return {
    id: issue.identifier,
    title: issue.title,
    description: issue.description ?? '',
    url: issue.url,
    state: stateOf(issue),
    labels: issue.labels.nodes.map(({ name }) => name),
    assignee: issue.assignee?.displayName,
    // 0 is "no priority".
    priority: issue.priority > 0 ? issue.priority : undefined,
    branchName: issue.branchName,
    // A user belongs to the workspace; an integration that relays strangers is not a user.
    author: issue.creator?.displayName,
    authorIsMember: issue.creator !== null,
    createdAt: issue.createdAt,
  }
}

/** State types in which nothing is left to do. */
export const CLOSED_TYPES = ['completed', 'canceled', 'duplicate'] as const

function stateOf({ state }: LinearIssue): Issue['state'] {
  if (state.type === 'completed') return 'closed'
  if (state.type === 'canceled' || state.type === 'duplicate') return 'cancelled'
  return state.type === 'started' ? 'in_progress' : 'open'
}

export type LinearReference = { team: string; number: number } | { id: string }

const IDENTIFIER = /^([A-Za-z][A-Za-z0-9]{0,15})-([1-9][0-9]{0,8})$/
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** `ENG-42` or a URL of linear.app, or Linear's own id. null: none of these. */
export function parseReference(text: string): LinearReference | null {
  const plain = text.trim()
  if (UUID.test(plain)) return { id: plain.toLowerCase() }
  const path = URL.canParse(plain) && new URL(plain).hostname === 'linear.app' ? new URL(plain).pathname : null
  const name = path === null ? plain : (/^\/(?:[\w-]+\/)?issue\/([A-Za-z0-9]+-[0-9]+)(?:\/|$)/.exec(path)?.[1] ?? '')
  const match = IDENTIFIER.exec(name)
  return match ? { team: match[1]!.toUpperCase(), number: Number(match[2]) } : null
}

export function nameOf(reference: LinearReference): string {
  return 'id' in reference ? reference.id : `${reference.team}-${reference.number}`
}
