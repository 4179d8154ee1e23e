// Mutations of reviews, threads and comments.
import { commentOnPull, editComment, replyToComment, resolveComment } from '../../../forge/pulls/change-pull.ts'
import { describeIssue, describeIssueComment, toIssue } from '../../describe/issue.ts'
import { type Node, refuse } from '../../describe/node.ts'
import { describePull } from '../../describe/pull.ts'
import {
  conversationOf,
  describeComment,
  describeLineComment,
  describeReview,
  findThread,
  lineComments,
} from '../../describe/review.ts'
import { changeLocalIssue } from '../../issue/local-issues.ts'
import { type Gh, requireOwnPull } from '../../open-gh.ts'
import { reviewOwnPull } from '../../pr/own-pull.ts'
import { defineMutation, type Mutation, type MutationContext } from './define-mutation.ts'
import { requireNode, requirePull } from './nodes.ts'

async function resolve(threadId: unknown, resolved: boolean, { gh, io }: MutationContext) {
  const { number, id } = requireNode(threadId, 'thread')
  const pull = await requirePull(gh, number)
  requireOwnPull(io, pull, 'edit')
  await findThread(gh, pull, id)
  await resolveComment(gh.forge, number, { commentId: id, resolved })
  return { thread: await findThread(gh, await requirePull(gh, number), id) }
}

const STATES: Record<string, 'approved' | 'changes_requested' | 'commented'> = {
  APPROVE: 'approved',
  REQUEST_CHANGES: 'changes_requested',
  COMMENT: 'commented',
}

interface Line {
  path?: string | null | undefined
  line?: number | null | undefined
  side?: string | null | undefined
  body: string
}

function onLine({ path, line, side, body, ...rest }: Line) {
  const other = Object.entries(rest).find(([, value]) => value !== null && value !== undefined)
  if (other) throw refuse(`${other[0]} of a thread is not available in the local forge`)
  if (!path || !line) throw refuse('a thread needs its path and its line here')
  if (side === 'LEFT') throw refuse('comments on the old side are not available in the local forge')
  return { path, line, body }
}

type NewReview = {
  pullRequestId: string
  event?: string | null
  body?: string | null
  commitOID?: string | null
  threads?: Line[] | null
}

async function addReview({ pullRequestId, event, body, commitOID, threads }: NewReview, { gh, io }: MutationContext) {
  const { number } = requireNode(pullRequestId, 'pull')
  const state = STATES[event ?? '']
  if (!state) throw refuse('the local forge keeps no pending reviews: say event, APPROVE, REQUEST_CHANGES or COMMENT')
  const review = { state, body: body ?? '', comments: (threads ?? []).map(onLine), expected: commitOID ?? undefined }
  const after = await reviewOwnPull(gh, await requirePull(gh, number), review, io)
  return { pullRequestReview: describeReview(gh, after, after.reviews.at(-1)!), reviewEdge: null }
}

async function addComment({ subjectId, body }: { subjectId: string; body: string }, { gh, io }: MutationContext) {
  const { kind, number } = requireNode(subjectId, 'pull', 'issue')
  if (kind === 'pull') {
    await commentOnPull(gh.forge, number, { body })
    const after = await requirePull(gh, number)
    const node = describeComment(after, conversationOf(after).at(-1)!)
    return { commentEdge: { node }, subject: describePull(gh, after) }
  }
  if (body.trim() === '') throw refuse('body is blank', 'UNPROCESSABLE')
  const issue = toIssue(gh, await changeLocalIssue(gh, number, () => ({ comment: body }), io))
  const node = describeIssueComment(issue, issue.comments!.length - 1)
  return { commentEdge: { node }, subject: describeIssue(gh, issue) }
}

/** The comment on a line with this id, or the newest. */
async function commentNode(gh: Gh, number: number, id?: string): Promise<Node> {
  const pull = await requirePull(gh, number)
  const all = await lineComments(gh, pull)
  return describeLineComment(gh, pull, (id === undefined ? all.at(-1) : all.find((one) => one.id === id))!)
}

export const REVIEW_MUTATIONS: Readonly<Record<string, Mutation>> = {
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
      await findThread(gh, await requirePull(gh, number), id)
      await replyToComment(gh.forge, number, { commentId: id, body })
      return { comment: await commentNode(gh, number) }
    },
  ),
  addPullRequestReviewThread: defineMutation<{ pullRequestId: string } & { [K in keyof Line]: Line[K] }>(
    ['pullRequestId', 'path', 'line', 'body', 'side'],
    async ({ pullRequestId, ...line }, { gh }) => {
      const { number } = requireNode(pullRequestId, 'pull')
      const comment = onLine(line)
      await requirePull(gh, number)
      const after = await commentOnPull(gh.forge, number, comment)
      return { thread: await findThread(gh, await requirePull(gh, number), after.comments.at(-1)!.id) }
    },
  ),
  addPullRequestReview: defineMutation<NewReview>(
    ['pullRequestId', 'event', 'body', 'commitOID', 'threads'],
    addReview,
  ),
  addComment: defineMutation(['subjectId', 'body'], addComment),
  updateIssueComment: defineMutation<{ id: string; body: string }>(['id', 'body'], async ({ id, body }, { gh }) => {
    const { number, id: commentId } = requireNode(id, 'conversation')
    await editComment(gh.forge, number, { commentId, body })
    const after = await requirePull(gh, number)
    return { issueComment: describeComment(after, after.comments.find((one) => one.id === commentId)!) }
  }),
  updatePullRequestReviewComment: defineMutation<{ pullRequestReviewCommentId: string; body: string }>(
    ['pullRequestReviewCommentId', 'body'],
    async ({ pullRequestReviewCommentId, body }, { gh }) => {
      const { number, id } = requireNode(pullRequestReviewCommentId, 'comment')
      await editComment(gh.forge, number, { commentId: id, body })
      return { pullRequestReviewComment: await commentNode(gh, number, id) }
    },
  ),
}
