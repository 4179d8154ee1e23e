// An issue, of any tracker; one that ao keeps has a number and is answered by `gh api` too.
import type { LocalIssue } from '../../forge/issues/issue-store.ts'
import type { Issue } from '../../slots/tracker.ts'
import { issueCommentId, numericId } from '../ids.ts'
import type { Gh } from '../open-gh.ts'
import { ASSOCIATION, describeLabels, describeRepo, describeUser, describeUsers, webUrl } from './names.ts'
import { connection, field, type Node } from './node.ts'

const REASONS = { closed: 'COMPLETED', cancelled: 'NOT_PLANNED', open: null, in_progress: null } as const

export function toIssue(gh: Gh, { number, body: description, ...rest }: LocalIssue): Issue {
  return { ...rest, id: String(number), description, url: `${webUrl(gh)}/issues/${number}` }
}

/** `gh` null: the issues of the project are elsewhere, and nothing of the local forge is read. */
export function describeIssue(gh: Gh | null, issue: Issue): Node {
  const { id, title, description: body, url, state, author = '', labels, comments = [] } = issue
  const isClosed = isOver(issue)
  return {
    __typename: 'Issue',
    id: `I_${id}`,
    databaseId: numericId(`issue ${id}`),
    number: Number(id),
    title,
    body,
    bodyText: body,
    url,
    state: isClosed ? 'CLOSED' : 'OPEN',
    stateReason: field(['enableDuplicate'], () => REASONS[state]),
    closed: isClosed,
    locked: false,
    author: describeUser(author),
    authorAssociation: ASSOCIATION,
    createdAt: issue.createdAt ?? null,
    updatedAt: lastChange(issue),
    closedAt: isClosed ? (issue.closedAt ?? null) : null,
    milestone: null,
    labelNames: labels,
    assignees: describeUsers(assigneesOf(issue)),
    comments: connection(
      () => comments.map((_, index) => index),
      (index) => describeIssueComment(issue, index),
    ),
    ...(gh === null ? {} : { repository: describeRepo(gh), labels: describeLabels(gh, labels) }),
  }
}

export function describeIssueComment(issue: Issue, index: number): Node {
  const { author, body, createdAt } = issue.comments![index]!
  const id = issueCommentId(Number(issue.id), index)
  return {
    __typename: 'IssueComment',
    id: `IC_${id}`,
    databaseId: id,
    fullDatabaseId: id,
    author: describeUser(author),
    authorAssociation: ASSOCIATION,
    body,
    bodyText: body,
    createdAt,
    publishedAt: createdAt,
    updatedAt: createdAt,
    isMinimized: false,
    url: `${issue.url}#issuecomment-${id}`,
    issue: { __typename: 'Issue', id: `I_${issue.id}`, number: Number(issue.id), title: issue.title, url: issue.url },
  }
}

export function isOver({ state }: Pick<Issue, 'state'>): boolean {
  return state === 'closed' || state === 'cancelled'
}

export function assigneesOf({ assignee, assignees }: Issue): string[] {
  return assignees ?? (assignee === undefined ? [] : [assignee])
}

export function lastChange({ createdAt = '', closedAt = '', comments = [] }: Issue): string {
  return [createdAt, closedAt, comments.at(-1)?.createdAt ?? ''].sort().at(-1)!
}
