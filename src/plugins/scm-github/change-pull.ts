// What people do to a pull request on GitHub besides merging it.

import { AoError } from '../../contract/errors.ts'
import type { Review, ReviewComment } from '../../contract/pull.ts'
import type { LineComment, NewComment, NewReview } from '../../slots/scm.ts'
import { toAuthor } from '../github-api/author.ts'
import type { GithubClient } from '../github-api/github-client.ts'
import type { Target } from './fetch-pull-request.ts'

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

/** `headOf`: what a comment on a line is tied to. */
export async function commentOnPull(
  client: GithubClient,
  target: Target,
  comment: NewComment,
  headOf: () => Promise<string | null>,
): Promise<ReviewComment> {
  const { owner, repo, pull_number } = target
  const { path, line, startLine, body } = comment
  const onLine = path === undefined || line === undefined ? null : { path, line, startLine, body }
  const made = onLine
    ? await client.rest<Written & { created_at: string }>('POST /repos/{owner}/{repo}/pulls/{pull_number}/comments', {
        ...target,
        ...lineOf(onLine),
        body,
        commit_id: await headOf(),
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

function lineOf({ path, startLine, line }: LineComment) {
  const start = startLine === undefined || startLine === line ? {} : { start_line: startLine, start_side: 'RIGHT' }
  return { path, line, side: 'RIGHT', ...start }
}

function authorOf({ user, author_association }: Written) {
  const actor = user && { __typename: user.type ?? 'User', login: user.login }
  return toAuthor(actor, author_association)
}

// Answers in threads, and settling them: GitHub has both in GraphQL only.

const REPLY = `mutation Reply($thread: ID!, $body: String!) {
  addPullRequestReviewThreadReply(input: { pullRequestReviewThreadId: $thread, body: $body }) { comment { id } }
}`
const RESOLVE = `mutation Resolve($thread: ID!) { resolveReviewThread(input: { threadId: $thread }) { thread { id } } }`
const REOPEN = `mutation Reopen($thread: ID!) { unresolveReviewThread(input: { threadId: $thread }) { thread { id } } }`

export function replyInThread(client: GithubClient, { thread, body }: { thread: string; body: string }): Promise<void> {
  return changeThread(client, 'GitHub did not take the reply', REPLY, { thread, body })
}

export function resolveThread(
  client: GithubClient,
  { thread, resolved }: { thread: string; resolved: boolean },
): Promise<void> {
  return changeThread(client, 'GitHub did not change the thread', resolved ? RESOLVE : REOPEN, { thread })
}

async function changeThread(
  client: GithubClient,
  what: string,
  query: string,
  variables: Record<string, unknown>,
): Promise<void> {
  const { errors } = await client.graphql(query, variables)
  if (errors.length === 0) return
  throw new AoError('SCM_FAILED', `${what}: ${errors.map(({ message }) => message).join('; ')}`, {
    hint: 'The token needs write access to pull requests',
    details: { thread: variables.thread },
  })
}
