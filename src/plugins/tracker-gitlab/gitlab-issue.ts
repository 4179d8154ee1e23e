// An issue as GitLab writes it, and as the slot reads it.
import type { Author } from '../../slots/scm.ts'
import type { Issue } from '../../slots/tracker.ts'
import type { GitlabUser } from '../gitlab-api/people.ts'

export interface GitlabIssue {
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

/** Without an author whether they belong to the project stays unsaid: in a list that would cost a call each. */
export function toIssue(issue: GitlabIssue, author?: Author): Issue {
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
