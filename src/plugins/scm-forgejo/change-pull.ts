// What people do to a pull request on Forgejo besides merging it.

import { AoError } from '../../contract/errors.ts'
import type { Review, ReviewComment } from '../../contract/pull.ts'
import type { NewComment, NewReview } from '../../slots/scm.ts'
import { onLastLine } from '../forge-git/listed-pulls.ts'
import type { ForgejoClient } from '../forgejo-api/forgejo-client.ts'
import type { AuthorOf } from '../forgejo-api/people.ts'
import { fetchPull, stateOf } from './fetch-pull.ts'
import type { ForgejoComment, ForgejoReview, ForgejoReviewComment } from './forgejo-data.ts'

interface Source {
  client: ForgejoClient
  authorOf: AuthorOf
}

const EVENTS = { approved: 'APPROVED', changes_requested: 'REQUEST_CHANGES', commented: 'COMMENT' } as const

/** `path`: of the pull request in the API. Forgejo ties a review to a commit, whatever the head is by then. */
export async function reviewPull({ client, authorOf }: Source, path: string, review: NewReview): Promise<Review> {
  await requireHead(client, path, review.head)
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
  const { head } = await fetchPull(client, path)
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

async function requireHead(client: ForgejoClient, path: string, expected: string): Promise<void> {
  const pull = await fetchPull(client, path)
  const { number, head } = pull
  if (stateOf(pull) !== 'open') throw new AoError('PR_NOT_MERGEABLE', `Pull request ${number} is ${stateOf(pull)}`)
  if (head.sha === expected) return
  throw new AoError('PR_HEAD_MOVED', `Pull request ${number} has another head: ${head.sha.slice(0, 10)}`, {
    details: { number, headSha: head.sha, expected },
  })
}

function common({
  body,
  html_url: url,
  created_at: createdAt,
}: Pick<ForgejoComment, 'body' | 'html_url' | 'created_at'>) {
  return { body, url, createdAt, isResolved: false }
}
