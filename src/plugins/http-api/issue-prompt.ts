// An issue as context for a prompt. The caller fences it: it is other people's text.
import type { Issue } from '../../slots/tracker.ts'

export function issuePrompt(issue: Issue): string {
  const facts = [
    `Issue ${issue.id}: ${issue.title}`,
    `URL: ${issue.url}`,
    ...(issue.author === undefined
      ? []
      : [`Author: ${issue.author}${issue.authorIsMember === false ? ' (not a member)' : ''}`]),
    ...(issue.labels.length > 0 ? [`Labels: ${issue.labels.join(', ')}`] : []),
    ...(issue.assignee === undefined ? [] : [`Assignee: ${issue.assignee}`]),
  ]
  const description = issue.description.trim()
  return description === '' ? facts.join('\n') : `${facts.join('\n')}\n\n${description}`
}
