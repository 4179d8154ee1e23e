// A pull request of the local forge as `--json` prints it.
import type { PullView } from '../../../forge/pulls/observe-pulls.ts'

export const PULL_JSON =
  "{ number, url, title, body, state: 'open' | 'merged' | 'closed', isDraft, head, base, headSha, author, session, labels, assignees, reviewers, ci, checks: [{ id, name, status }], review, reviews, comments, hasConflicts, mergeable, failingOnBase, mergeCommit, createdAt, updatedAt, closedAt }"

export function pullJson(view: PullView) {
  const { pull, state, headSha, ci, checks, review, hasConflicts, mergeable, failingOnBase } = view
  const { number, url, title, body, draft, head, base, author, session, reviews, comments } = pull
  const { labels, assignees, reviewers } = pull
  const { mergeCommit, createdAt, updatedAt, closedAt } = pull
  return {
    number,
    url,
    title,
    body,
    state,
    isDraft: draft,
    head,
    base,
    headSha,
    author,
    session,
    labels,
    assignees,
    reviewers,
    ci,
    checks,
    review,
    reviews,
    comments,
    hasConflicts,
    mergeable,
    failingOnBase,
    mergeCommit,
    createdAt,
    updatedAt,
    closedAt,
  }
}
