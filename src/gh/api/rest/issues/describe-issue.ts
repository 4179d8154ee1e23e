// Issues in REST responses. A pull request is an issue too, as on GitHub.
import type { LocalIssue } from '../../../../forge/issues/issue-file.ts'
import { observePull } from '../../../../forge/pulls/observe-pulls.ts'
import type { LocalPull } from '../../../../forge/pulls/pull-events.ts'
import { issueCommentId, numericId } from '../../../ids.ts'
import type { Gh } from '../../../open-gh.ts'
import { apiUrl, describeLabels, describeUser, webUrl } from '../describe-names.ts'
import { ASSOCIATION } from '../describe-pull.ts'

const REASONS = { closed: 'completed', cancelled: 'not_planned', open: null, in_progress: null } as const

export function describeIssue(gh: Gh, issue: LocalIssue) {
  const {
    number,
    title,
    body,
    state,
    author = '',
    labels,
    assignees,
    createdAt = null,
    closedAt = null,
    comments,
  } = issue
  const isOver = state === 'closed' || state === 'cancelled'
  const lastCommentAt = comments.at(-1)?.createdAt ?? ''
  return {
    ...common(gh, { number, labels, assignees }),
    id: numericId(`issue ${number}`),
    node_id: `I_${number}`,
    title,
    body,
    state: isOver ? 'closed' : 'open',
    state_reason: REASONS[state],
    user: describeUser(author),
    comments: comments.length,
    created_at: createdAt,
    updated_at: [createdAt ?? '', closedAt ?? '', lastCommentAt].sort().at(-1),
    closed_at: isOver ? closedAt : null,
    html_url: `${webUrl(gh)}/issues/${number}`,
  }
}

export async function describePullAsIssue(gh: Gh, pull: LocalPull) {
  const { state } = await observePull(gh.forge, pull)
  return {
    ...common(gh, pull),
    id: numericId(`pull ${pull.number}`),
    node_id: `PR_${pull.number}`,
    title: pull.title,
    body: pull.body,
    state: state === 'open' ? 'open' : 'closed',
    state_reason: null,
    user: describeUser(pull.author, pull.session !== null),
    comments: pull.comments.filter(({ path }) => path === undefined).length,
    created_at: pull.createdAt,
    updated_at: pull.updatedAt,
    closed_at: pull.closedAt,
    html_url: pull.url,
    draft: pull.draft,
    pull_request: {
      url: apiUrl(gh, `pulls/${pull.number}`),
      html_url: pull.url,
      merged_at: state === 'merged' ? (pull.closedAt ?? pull.updatedAt) : null,
    },
  }
}

function common(gh: Gh, one: { number: number; labels: readonly string[]; assignees: readonly string[] }) {
  const assignees = one.assignees.map((login) => describeUser(login))
  return {
    number: one.number,
    labels: describeLabels(gh, one.labels),
    assignee: assignees[0] ?? null,
    assignees,
    milestone: null,
    locked: false,
    author_association: ASSOCIATION,
    url: apiUrl(gh, `issues/${one.number}`),
    comments_url: apiUrl(gh, `issues/${one.number}/comments`),
    labels_url: apiUrl(gh, `issues/${one.number}/labels`),
  }
}

export function describeIssueComment(gh: Gh, issue: LocalIssue, index: number) {
  const { author, body, createdAt } = issue.comments[index]!
  const id = issueCommentId(issue.number, index)
  return {
    id,
    node_id: `IC_${id}`,
    user: describeUser(author),
    author_association: ASSOCIATION,
    body,
    created_at: createdAt,
    updated_at: createdAt,
    html_url: `${webUrl(gh)}/issues/${issue.number}#issuecomment-${id}`,
    url: apiUrl(gh, `issues/comments/${id}`),
    issue_url: apiUrl(gh, `issues/${issue.number}`),
  }
}
