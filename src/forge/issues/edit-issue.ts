// All changes of an existing issue, in one step. Pure: the store writes what this returns.
import { changeNames, cleanNames, type NameChange } from '../pulls/name-list.ts'
import type { LocalIssue } from './issue-store.ts'

export interface IssueEdit {
  title?: string | undefined
  body?: string | undefined
  state?: LocalIssue['state'] | undefined
  labels?: NameChange | undefined
  assignees?: NameChange | undefined
  comment?: string | undefined
}

export function editIssue(issue: LocalIssue, edit: IssueEdit, { by, now }: { by: string; now: string }): LocalIssue {
  const isOver = edit.state === 'closed' || edit.state === 'cancelled'
  return {
    ...issue,
    labels: changeNames(issue.labels, cleanNames(edit.labels)),
    assignees: changeNames(issue.assignees, cleanNames(edit.assignees)),
    title: oneLine(edit.title ?? '') || issue.title,
    body: edit.body ?? issue.body,
    state: edit.state ?? issue.state,
    closedAt: edit.state === undefined ? issue.closedAt : isOver ? now : undefined,
    comments:
      edit.comment === undefined
        ? issue.comments
        : [...issue.comments, { author: by, createdAt: now, body: edit.comment }],
  }
}

export function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}
