// An issue as GitHub returns it, and as the slot reads it.

import type { Issue } from '../../slots/tracker.ts'
import { isMemberAssociation } from '../github-api/author.ts'

export interface GithubIssue {
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

export function toIssue(issue: GithubIssue): Issue {
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
