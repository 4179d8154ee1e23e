// A pull request as `--json` prints it.
import type { Pull, Review, ReviewComment } from '../../../contract/pull.ts'
import type { Risk } from '../../../core/review/judge-risk.ts'

export const PULL_JSON =
  "{ number, url, title, body, state: 'open' | 'merged' | 'closed', isDraft, head, base, headSha, author, session, labels, assignees, reviewers, ci, checks: [{ id, name, status }], review, reviews, comments, hasConflicts, mergeable, failingOnBase, mergeCommit, createdAt, updatedAt, closedAt, risk?: { score, terms: [{ points, most, text, isUnknown? }], minutes } }"

export function pullJson(pull: Pull, risk?: Risk) {
  const { pr, state, headSha, ci, checks, review, reviews, comments, hasConflicts, mergeable, failingOnBase } = pull
  const { body = '', author = null, session = null, labels = [], assignees = [], reviewers = [] } = pull
  const { mergeCommit = null, createdAt = null, updatedAt, closedAt = null } = pull
  return {
    number: pr.number,
    url: pr.url,
    title: pr.title ?? '',
    body,
    state,
    isDraft: pr.isDraft ?? false,
    head: pr.branch ?? null,
    base: pr.baseBranch ?? null,
    headSha,
    author,
    session,
    labels,
    assignees,
    reviewers,
    ci,
    checks,
    review,
    reviews: reviews.map(reviewJson),
    comments: comments.map(commentJson),
    hasConflicts,
    mergeable,
    failingOnBase,
    mergeCommit,
    createdAt,
    updatedAt,
    closedAt,
    risk,
  }
}

export function reviewJson({ id, author, state, body, commit, submittedAt }: Review) {
  return { id, author: author.login, isBot: author.isBot, state, body, commit, submittedAt }
}

export function commentJson(comment: ReviewComment) {
  const { id, author, body, path, startLine, line, thread, isReply, reviewId } = comment
  const { isResolved, resolvedBy, createdAt, updatedAt } = comment
  return {
    id,
    body,
    path,
    startLine,
    line,
    inReplyTo: isReply ? thread : undefined,
    thread,
    author: author.login,
    isBot: author.isBot,
    reviewId,
    isResolved,
    resolvedBy,
    createdAt,
    updatedAt,
  }
}
