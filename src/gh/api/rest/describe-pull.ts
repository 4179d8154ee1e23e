// Pull requests in REST responses, with the fields of GitHub's documentation.
import type { PullView } from '../../../forge/pulls/observe-pulls.ts'
import type { LocalPull } from '../../../forge/pulls/pull-events.ts'
import { numericId } from '../../ids.ts'
import type { Gh } from '../../open-gh.ts'
import { mergeState, readFields } from '../../pr/pr-fields.ts'
import { OWNER } from '../../which-repo.ts'
import { apiUrl, describeLabels, describeRepo, describeUser } from './describe-names.ts'

export const ASSOCIATION = 'MEMBER'

export function describePull(gh: Gh, view: PullView) {
  const { pull, state, headSha, baseSha } = view
  const own = (rest: string) => apiUrl(gh, `pulls/${pull.number}${rest}`)
  const assignees = pull.assignees.map((login) => describeUser(login))
  const side = (ref: string, sha: string) => {
    return { label: `${OWNER}:${ref}`, ref, sha, user: describeUser(OWNER), repo: describeRepo(gh) }
  }
  return {
    id: numericId(`pull ${pull.number}`),
    node_id: `PR_${pull.number}`,
    number: pull.number,
    title: pull.title,
    body: pull.body,
    state: state === 'open' ? 'open' : 'closed',
    draft: pull.draft,
    locked: false,
    user: describeUser(pull.author, pull.session !== null),
    author_association: ASSOCIATION,
    labels: describeLabels(gh, pull.labels),
    assignee: assignees[0] ?? null,
    assignees,
    requested_reviewers: pull.reviewers.map((login) => describeUser(login)),
    requested_teams: [],
    milestone: null,
    auto_merge: null,
    head: side(pull.head, headSha),
    base: side(pull.base, baseSha ?? ''),
    created_at: pull.createdAt,
    updated_at: pull.updatedAt,
    closed_at: pull.closedAt,
    merged_at: state === 'merged' ? (pull.closedAt ?? pull.updatedAt) : null,
    merge_commit_sha: pull.mergeCommit,
    html_url: pull.url,
    url: own(''),
    issue_url: apiUrl(gh, `issues/${pull.number}`),
    commits_url: own('/commits'),
    comments_url: apiUrl(gh, `issues/${pull.number}/comments`),
    review_comments_url: own('/comments'),
    statuses_url: apiUrl(gh, `commits/${headSha}/status`),
  }
}

/** What GitHub counts only for one pull request at a time. */
export async function describeOnePull(gh: Gh, view: PullView) {
  const { pull, state, hasConflicts } = view
  const counted = await readFields(view, ['additions', 'deletions', 'files', 'commits'], gh.forge)
  return {
    ...describePull(gh, view),
    merged: state === 'merged',
    mergeable: state === 'open' && hasConflicts !== null ? !hasConflicts : null,
    mergeable_state: mergeState(view).toLowerCase(),
    merged_by: state === 'merged' && pull.closedBy !== null ? describeUser(pull.closedBy) : null,
    maintainer_can_modify: false,
    comments: pull.comments.filter(({ path }) => path === undefined).length,
    review_comments: pull.comments.filter(({ path }) => path !== undefined).length,
    commits: (counted.commits as unknown[]).length,
    additions: counted.additions,
    deletions: counted.deletions,
    changed_files: (counted.files as unknown[]).length,
  }
}

/** A comment in the conversation, not on a line. */
export function describePullComment(gh: Gh, pull: LocalPull, comment: LocalPull['comments'][number]) {
  const id = numericId(comment.id)
  return {
    id,
    node_id: `IC_PR${pull.number}_${comment.id}`,
    user: describeUser(comment.author, comment.isBot),
    author_association: ASSOCIATION,
    body: comment.body,
    created_at: comment.createdAt,
    updated_at: comment.updatedAt ?? comment.createdAt,
    html_url: `${pull.url}#issuecomment-${id}`,
    url: apiUrl(gh, `issues/comments/${id}`),
    issue_url: apiUrl(gh, `issues/${pull.number}`),
  }
}

export function describeReview(gh: Gh, pull: LocalPull, review: LocalPull['reviews'][number]) {
  const id = numericId(review.id)
  return {
    id,
    node_id: `PRR_${pull.number}_${review.id}`,
    user: describeUser(review.author, review.isBot),
    author_association: ASSOCIATION,
    body: review.body,
    state: review.state.toUpperCase(),
    commit_id: review.commit,
    submitted_at: review.submittedAt,
    html_url: `${pull.url}#pullrequestreview-${id}`,
    pull_request_url: apiUrl(gh, `pulls/${pull.number}`),
  }
}
