// What people do to a pull request on Forgejo besides merging it.

import { AoError } from '../../contract/errors.ts'
import type { Review, ReviewComment } from '../../contract/pull.ts'
import type { NewComment, NewReview, ReviewThreads } from '../../slots/scm.ts'
import { onLastLine } from '../forge-git/listed-pulls.ts'
import type { ForgejoClient } from '../forgejo-api/forgejo-client.ts'
import type { AuthorOf } from '../forgejo-api/people.ts'
import { hasStatus } from '../http-api/http-api-error.ts'
import type { ForgejoComment, ForgejoPull, ForgejoReview, ForgejoReviewComment } from './forgejo-data.ts'

interface Source {
  client: ForgejoClient
  authorOf: AuthorOf
}

const EVENTS = { approved: 'APPROVED', changes_requested: 'REQUEST_CHANGES', commented: 'COMMENT' } as const

/** `path`: of the pull request in the API. Forgejo ties a review to a commit, whatever the head is by then. */
export async function reviewPull({ client, authorOf }: Source, path: string, review: NewReview): Promise<Review> {
  const made = await postReview(client, path, review)
  return {
    id: String(made.id),
    author: await authorOf(made.user),
    state: review.state,
    body: made.body ?? '',
    commit: made.commit_id || review.head,
    submittedAt: made.submitted_at,
  }
}

export async function commentOnPull(
  { client, authorOf }: Source,
  path: string,
  comment: NewComment,
): Promise<ReviewComment> {
  const { path: file, line, startLine, body } = comment
  if (file === undefined || line === undefined) {
    const issue = path.replace(/\/pulls\/([0-9]+)$/, '/issues/$1')
    const { data } = await client.call<ForgejoComment>(`${issue}/comments`, { method: 'POST', body: { body } })
    return { ...common(data), id: `comment:${data.id}`, reviewId: null, author: await authorOf(data.user) }
  }
  // A comment on a line is a review of its own.
  const { head } = (await client.call<ForgejoPull>(path)).data
  const comments = [{ path: file, line, startLine, body }]
  const review = await postReview(client, path, { state: 'commented', body: '', comments, head: head.sha })
  const { data } = await client.call<ForgejoReviewComment[] | null>(`${path}/reviews/${review.id}/comments`)
  const made = data?.at(-1)
  if (made === undefined) throw new AoError('SCM_FAILED', `Forgejo did not keep the comment on ${file}:${line}`)
  const thread = `${review.id}-${made.id}`
  const more = { reviewId: String(review.id), author: await authorOf(made.user), path: file, line, thread }
  return { ...common(made), id: String(made.id), ...more }
}

async function postReview(client: ForgejoClient, path: string, review: NewReview): Promise<ForgejoReview> {
  const comments = review.comments.map((one) => ({ path: one.path, new_position: one.line, body: onLastLine(one) }))
  const body = { event: EVENTS[review.state], body: review.body, commit_id: review.head, comments }
  return (await client.call<ForgejoReview>(`${path}/reviews`, { method: 'POST', body })).data
}

function common({
  body,
  html_url: url,
  created_at: createdAt,
}: Pick<ForgejoComment, 'body' | 'html_url' | 'created_at'>) {
  return { body, url, createdAt, isResolved: false }
}

/** Forgejo adds a comment to the review at the same line; Gitea has a route of its own for it. */
export async function replyInThread(
  client: ForgejoClient,
  pull: string,
  { thread, body }: Parameters<ReviewThreads['reply']>[1],
): Promise<void> {
  const { review, comment } = parseThread(thread)
  const comments = `${pull}/reviews/${review}/comments`
  const { data } = await client.call<ForgejoReviewComment[] | null>(comments)
  const first = (data ?? []).find(({ id }) => id === comment)
  if (first === undefined) throw unknownThread(thread)
  try {
    const position = { path: first.path, new_position: first.position || first.original_position || 0 }
    await client.call(comments, { method: 'POST', body: { ...position, body } })
  } catch (error) {
    if (!hasStatus(error, 404, 405)) throw error
    await client.call(`${pull}/comments/${comment}/replies`, { method: 'POST', body: { body } })
  }
}

/** Settling a conversation has a route in Gitea only: Forgejo does it on its own page. */
export async function resolveThread(
  client: ForgejoClient,
  pull: string,
  { thread, resolved }: Parameters<ReviewThreads['resolve']>[1],
): Promise<void> {
  const { comment } = parseThread(thread)
  const comments = pull.replace(/\/[0-9]+$/, '/comments')
  try {
    await client.call(`${comments}/${comment}/${resolved ? 'resolve' : 'unresolve'}`, { method: 'POST' })
  } catch (error) {
    if (!hasStatus(error, 404, 405)) throw error
    throw new AoError('SCM_FAILED', 'This Forgejo cannot settle conversations from outside', {
      hint: `Do it on its own page: ${client.webUrl}${pull.replace(/^\/repos/, '')}/files`,
      cause: error,
    })
  }
}

/** `<review>-<first comment>`, as read-reviews.ts names it. */
function parseThread(thread: string): { review: number; comment: number } {
  const [, review, comment] = /^([0-9]+)-([0-9]+)$/.exec(thread) ?? []
  if (comment === undefined) throw unknownThread(thread)
  return { review: Number(review), comment: Number(comment) }
}

function unknownThread(thread: string): AoError {
  return new AoError('USAGE', `There is no thread ${thread}`)
}
