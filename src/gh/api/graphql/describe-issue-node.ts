// An issue as a GraphQL node.
import type { LocalIssue } from '../../../forge/issues/issue-file.ts'
import { issueCommentId, numericId } from '../../ids.ts'
import type { Gh } from '../../open-gh.ts'
import { ASSOCIATION } from '../rest/describe-pull.ts'
import { describeIssue } from '../rest/issues/describe-issue.ts'
import { actor, labelNodes, userNodes } from './describe-basics.ts'
import { connection, field } from './field.ts'
import { repositoryFacts } from './repository-facts.ts'

export function issueNode(gh: Gh, issue: LocalIssue): Record<string, unknown> {
  const {
    state,
    state_reason: reason,
    created_at: createdAt,
    updated_at: updatedAt,
    closed_at: closedAt,
    html_url: url,
  } = describeIssue(gh, issue)
  return {
    __typename: 'Issue',
    id: `I_${issue.number}`,
    databaseId: numericId(`issue ${issue.number}`),
    number: issue.number,
    title: issue.title,
    body: issue.body,
    bodyText: issue.body,
    url,
    state: state.toUpperCase(),
    stateReason: field(['enableDuplicate'], () => reason?.toUpperCase() ?? null),
    closed: state === 'closed',
    locked: false,
    author: actor(issue.author ?? ''),
    authorAssociation: ASSOCIATION,
    createdAt,
    updatedAt,
    closedAt,
    milestone: null,
    repository: repositoryFacts(gh),
    labels: labelNodes(gh, issue.labels),
    assignees: userNodes(issue.assignees),
    comments: connection(
      () => issue.comments.map((_, index) => index),
      (index) => issueCommentNode(issue, index, url),
    ),
  }
}

export function issueCommentNode(issue: LocalIssue, index: number, url: string) {
  const { author, body, createdAt } = issue.comments[index]!
  const id = issueCommentId(issue.number, index)
  return {
    __typename: 'IssueComment',
    id: `IC_${id}`,
    databaseId: id,
    fullDatabaseId: id,
    author: actor(author),
    authorAssociation: ASSOCIATION,
    body,
    bodyText: body,
    createdAt,
    publishedAt: createdAt,
    updatedAt: createdAt,
    isMinimized: false,
    url: `${url}#issuecomment-${id}`,
  }
}
