// What people do to a pull request on GitHub besides merging it.

import { AoError } from '../../contract/errors.ts'
import type { Review, ReviewComment } from '../../contract/pull.ts'
import type { LineComment, NewComment, NewReview } from '../../slots/scm.ts'
import { toAuthor } from '../github-api/author.ts'
import type { GithubClient } from '../github-api/github-client.ts'
import type { RepositoryName } from '../github-api/repository-name.ts'
import { fetchPull, pullState } from './fetch-pull-request.ts'

type Target = RepositoryName & { pull_number: number }

interface Written {
  node_id: string
  html_url: string
  body: string | null
  user: { login: string; type?: string } | null
  author_association: string
}

const EVENTS = { approved: 'APPROVE', changes_requested: 'REQUEST_CHANGES', commented: 'COMMENT' } as const

/** GitHub ties a review to a commit, whatever the head is by then. */
export async function reviewPull(client: GithubClient, target: Target, review: NewReview): Promise<Review> {
  await requireHead(client, target, review.head)
  const made = await client.rest<Written & { commit_id: string; submitted_at: string }>(
    'POST /repos/{owner}/{repo}/pulls/{pull_number}/reviews',
    {
      ...target,
      commit_id: review.head,
      event: EVENTS[review.state],
      body: review.body,
      comments: review.comments.map((comment) => ({ ...lineOf(comment), body: comment.body })),
    },
  )
  return {
    id: made.node_id,
    author: authorOf(made),
    state: review.state,
    body: made.body ?? '',
    commit: made.commit_id,
    submittedAt: made.submitted_at,
  }
}

export async function commentOnPull(client: GithubClient, target: Target, comment: NewComment): Promise<ReviewComment> {
  const { owner, repo, pull_number } = target
  const { path, line, startLine, body } = comment
  const onLine = path === undefined || line === undefined ? null : { path, line, startLine, body }
  const made = onLine
    ? await client.rest<Written & { created_at: string }>('POST /repos/{owner}/{repo}/pulls/{pull_number}/comments', {
        ...target,
        ...lineOf(onLine),
        body,
        commit_id: (await fetchPull(client, target)).head.sha,
      })
    : await client.rest<Written & { created_at: string }>('POST /repos/{owner}/{repo}/issues/{issue_number}/comments', {
        owner,
        repo,
        issue_number: pull_number,
        body,
      })
  return {
    id: made.node_id,
    reviewId: null,
    author: authorOf(made),
    body: made.body ?? '',
    path,
    startLine,
    line,
    url: made.html_url,
    isResolved: false,
    createdAt: made.created_at,
  }
}

async function requireHead(client: GithubClient, target: Target, head: string): Promise<void> {
  const pull = await fetchPull(client, target)
  const number = target.pull_number
  const state = pullState(pull)
  if (state !== 'open') throw new AoError('PR_NOT_MERGEABLE', `Pull request ${number} is ${state}`)
  if (pull.head.sha === head) return
  throw new AoError('PR_HEAD_MOVED', `Pull request ${number} has another head: ${pull.head.sha.slice(0, 10)}`, {
    details: { number, headSha: pull.head.sha, expected: head },
  })
}

function lineOf({ path, startLine, line }: LineComment) {
  const start = startLine === undefined || startLine === line ? {} : { start_line: startLine, start_side: 'RIGHT' }
  return { path, line, side: 'RIGHT', ...start }
}

function authorOf({ user, author_association }: Written) {
  const actor = user && { __typename: user.type ?? 'User', login: user.login }
  return toAuthor(actor, author_association)
}
