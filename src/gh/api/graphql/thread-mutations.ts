// Mutations of reviews, threads and comments.
import {
  commentOnPull,
  editComment,
  replyToComment,
  resolveComment,
  reviewPull,
} from '../../../forge/pulls/change-pull.ts'
import { observePull } from '../../../forge/pulls/observe-pulls.ts'
import { requireOwnPull } from '../../open-gh.ts'
import { locateComments } from '../locate-comments.ts'
import { describeIssue } from '../rest/issues/describe-issue.ts'
import { changeNumberedIssue } from '../rest/issues/which-issue.ts'
import { defineMutation, type Mutation, type MutationContext } from './define-mutation.ts'
import { issueCommentNode, issueNode } from './describe-issue-node.ts'
import { pullNode } from './describe-pull-node.ts'
import { conversationNode, findThread, lineCommentNode, reviewNode } from './describe-review-nodes.ts'
import { refuse } from './field.ts'
import { requirePullNode } from './find-node.ts'
import { requireNode } from './node-ids.ts'

type Id = { [key: string]: unknown }

async function resolve(threadId: unknown, resolved: boolean, { gh, io }: MutationContext) {
  const { number, id } = requireNode(threadId, 'thread')
  const pull = requirePullNode(gh, number)
  requireOwnPull(io, pull, 'edit')
  await findThread(gh, pull, id)
  const after = await resolveComment(gh.forge, number, { commentId: id, resolved })
  return { thread: await findThread(gh, after, id) }
}

const STATES: Record<string, 'approved' | 'changes_requested' | 'commented'> = {
  APPROVE: 'approved',
  REQUEST_CHANGES: 'changes_requested',
  COMMENT: 'commented',
}

interface NewReview extends Id {
  pullRequestId: string
  event?: string | null
  body?: string | null
  commitOID?: string | null
  threads?: Array<{ path?: string | null; line?: number | null; body: string; side?: string | null }> | null
}

async function addReview({ pullRequestId, event, body, commitOID, threads }: NewReview, { gh, io }: MutationContext) {
  const { number } = requireNode(pullRequestId, 'pull')
  const state = STATES[event ?? '']
  if (!state) throw refuse('the local forge keeps no pending reviews: say event, APPROVE, REQUEST_CHANGES or COMMENT')
  const pull = requirePullNode(gh, number)
  if (state !== 'commented') requireOwnPull(io, pull, 'review')
  const comments = (threads ?? []).map(({ path, line, body: text, side, ...rest }) => {
    const other = Object.entries(rest).find(([, value]) => value !== null && value !== undefined)
    if (other) throw refuse(`${other[0]} of a thread is not available in the local forge`)
    if (!path || !line) throw refuse('a thread needs its path and its line here')
    if (side === 'LEFT') throw refuse('comments on the old side are not available in the local forge')
    return { path, line, body: text }
  })
  if (state === 'commented' && !body?.trim() && comments.length === 0) throw refuse('body is blank', 'UNPROCESSABLE')
  const after = await reviewPull(gh.forge, number, {
    state,
    body: body ?? '',
    comments,
    expected: commitOID ?? undefined,
  })
  const view = await observePull(gh.forge, after)
  return { pullRequestReview: reviewNode(gh, view, after.reviews.at(-1)!), reviewEdge: null }
}

async function addComment({ subjectId, body }: { subjectId: string; body: string } & Id, { gh, io }: MutationContext) {
  const { kind, number } = requireNode(subjectId, 'pull', 'issue')
  if (kind === 'pull') {
    const after = await commentOnPull(gh.forge, number, { body })
    const node = conversationNode(after, after.comments.at(-1)!)
    return { commentEdge: { node }, subject: await pullNode(gh, after) }
  }
  if (body.trim() === '') throw refuse('body is blank', 'UNPROCESSABLE')
  const after = await changeNumberedIssue(gh, number, () => ({ comment: body }), io)
  const node = issueCommentNode(after, after.comments.length - 1, describeIssue(gh, after).html_url)
  return { commentEdge: { node }, subject: issueNode(gh, after) }
}

export const THREAD_MUTATIONS: Readonly<Record<string, Mutation>> = {
  resolveReviewThread: defineMutation<{ threadId: string }>(['threadId'], ({ threadId }, context) =>
    resolve(threadId, true, context),
  ),
  unresolveReviewThread: defineMutation<{ threadId: string }>(['threadId'], ({ threadId }, context) =>
    resolve(threadId, false, context),
  ),
  addPullRequestReviewThreadReply: defineMutation<{ pullRequestReviewThreadId: string; body: string }>(
    ['pullRequestReviewThreadId', 'body'],
    async ({ pullRequestReviewThreadId, body }, { gh }) => {
      const { number, id } = requireNode(pullRequestReviewThreadId, 'thread')
      await findThread(gh, requirePullNode(gh, number), id)
      const after = await replyToComment(gh.forge, number, { commentId: id, body })
      return { comment: lineCommentNode(gh, after, (await locateComments(gh.forge, after)).at(-1)!) }
    },
  ),
  addPullRequestReviewThread: defineMutation<{
    pullRequestId: string
    path: string
    line: number
    body: string
    side?: string
  }>(['pullRequestId', 'path', 'line', 'body', 'side'], async ({ pullRequestId, path, line, body, side }, { gh }) => {
    const { number } = requireNode(pullRequestId, 'pull')
    if (side === 'LEFT') throw refuse('comments on the old side are not available in the local forge')
    if (!path || !line) throw refuse('a thread needs its path and its line here')
    requirePullNode(gh, number)
    const after = await commentOnPull(gh.forge, number, { body, path, line })
    return { thread: await findThread(gh, after, after.comments.at(-1)!.id) }
  }),
  addPullRequestReview: defineMutation<NewReview>(
    ['pullRequestId', 'event', 'body', 'commitOID', 'threads'],
    addReview,
  ),
  addComment: defineMutation(['subjectId', 'body'], addComment),
  updateIssueComment: defineMutation<{ id: string; body: string }>(['id', 'body'], async ({ id, body }, { gh }) => {
    const name = requireNode(id, 'conversation')
    const after = await editComment(gh.forge, name.number, { commentId: name.id, body })
    return { issueComment: conversationNode(after, after.comments.find((one) => one.id === name.id)!) }
  }),
  updatePullRequestReviewComment: defineMutation<{ pullRequestReviewCommentId: string; body: string }>(
    ['pullRequestReviewCommentId', 'body'],
    async ({ pullRequestReviewCommentId, body }, { gh }) => {
      const { number, id } = requireNode(pullRequestReviewCommentId, 'comment')
      const after = await editComment(gh.forge, number, { commentId: id, body })
      const placed = (await locateComments(gh.forge, after)).find((one) => one.id === id)!
      return { pullRequestReviewComment: lineCommentNode(gh, after, placed) }
    },
  ),
}
