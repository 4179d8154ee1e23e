// What people do to a merge request besides merging it. GitLab has approvals and threads instead of reviews: a request for
// changes is an open thread, which counts as one until it is resolved.

import { AoError } from '../../contract/errors.ts'
import type { Review, ReviewComment } from '../../contract/pull.ts'
import type { LineComment, NewComment, NewReview } from '../../slots/scm.ts'
import { onLastLine } from '../forge-git/listed-pulls.ts'
import type { GitlabClient } from '../gitlab-api/gitlab-client.ts'
import type { AuthorOf, GitlabUser } from '../gitlab-api/people.ts'
import { hasStatus } from '../http-api/http-api-error.ts'
import type { GitlabDiff, GitlabDiscussion, GitlabMergeRequest, GitlabNote, GitlabVersion } from './gitlab-data.ts'
import { linePosition } from './line-position.ts'

interface Source {
  client: GitlabClient
  authorOf: AuthorOf
}

/** `path`: of the merge request in the API. The verdict comes last, when everything that explains it is there. */
export async function reviewRequest({ client, authorOf }: Source, path: string, review: NewReview): Promise<Review> {
  const { state, body, comments, head } = review
  const positions = await positionsOf(client, path, comments)
  const { data: me } = await client.call<GitlabUser>('/user')
  for (const [index, comment] of comments.entries()) {
    await discuss(client, path, { body: onLastLine(comment), position: positions[index] })
  }
  if (body.trim() !== '') {
    if (state === 'changes_requested') await discuss(client, path, { body })
    else await client.call(`${path}/notes`, { method: 'POST', body: { body } })
  }
  if (state === 'approved') await approve(client, path, head)
  return {
    id: `${state === 'approved' ? 'approval' : 'review'}:${me.id}`,
    author: await authorOf(me),
    state,
    body,
    commit: head,
    submittedAt: (await client.call<GitlabMergeRequest>(path)).data.updated_at,
  }
}

export async function commentOnRequest(
  { client, authorOf }: Source,
  path: string,
  comment: NewComment,
): Promise<ReviewComment> {
  const { path: file, line, startLine, body } = comment
  if (file === undefined || line === undefined) {
    const { data: note } = await client.call<GitlabNote>(`${path}/notes`, { method: 'POST', body: { body } })
    return toComment(note, await authorOf(note.author))
  }
  const given = { path: file, line, startLine, body }
  const [position] = await positionsOf(client, path, [given])
  const { id: thread, notes } = await discuss(client, path, { body: onLastLine(given), position })
  const note = notes[0]!
  return { ...toComment(note, await authorOf(note.author)), path: file, line, thread }
}

async function positionsOf(client: GitlabClient, path: string, comments: readonly LineComment[]) {
  if (comments.length === 0) return []
  const [version] = (await client.call<GitlabVersion[]>(`${path}/versions`)).data
  if (version === undefined)
    throw new AoError('SCM_FAILED', 'GitLab has not computed the diff of the merge request yet')
  const diffs = await client.list<GitlabDiff>(`${path}/diffs`)
  return comments.map((comment) => linePosition(version, diffs, comment))
}

async function discuss(client: GitlabClient, path: string, body: object): Promise<GitlabDiscussion> {
  return (await client.call<GitlabDiscussion>(`${path}/discussions`, { method: 'POST', body })).data
}

/** GitLab compares the head itself. One who has approved it before is refused, and has approved it. */
async function approve(client: GitlabClient, path: string, head: string): Promise<void> {
  try {
    await client.call(`${path}/approve`, { method: 'POST', body: { sha: head } })
  } catch (error) {
    if (!hasStatus(error, 409)) throw error
    const number = Number(path.slice(path.lastIndexOf('/') + 1))
    const what = `Merge request ${number} has another head than ${head.slice(0, 10)}`
    throw new AoError('PR_HEAD_MOVED', what, { details: { number, expected: head }, cause: error })
  }
}

function toComment(note: GitlabNote, author: ReviewComment['author']): ReviewComment {
  return {
    id: String(note.id),
    reviewId: note.author === null ? null : `review:${note.author.id}`,
    author,
    body: note.body,
    isResolved: false,
    createdAt: note.created_at,
  }
}
