// Reviews, threads and comments as GraphQL nodes.
import type { PullView } from '../../../forge/pulls/observe-pulls.ts'
import type { LocalPull } from '../../../forge/pulls/pull-events.ts'
import { numericId } from '../../ids.ts'
import type { Gh } from '../../open-gh.ts'
import { diffHunks } from '../diff-hunks.ts'
import { type LocatedComment, locateComments } from '../locate-comments.ts'
import { ASSOCIATION } from '../rest/describe-pull.ts'
import { actor, shaNode } from './describe-basics.ts'
import { connection, field, unresolved } from './field.ts'

export function reviewNode(gh: Gh, view: PullView, review: LocalPull['reviews'][number]) {
  const { pull } = view
  const url = `${pull.url}#pullrequestreview-${numericId(review.id)}`
  return {
    __typename: 'PullRequestReview',
    id: `PRR_${pull.number}_${review.id}`,
    databaseId: numericId(review.id),
    author: actor(review.author, review.isBot),
    authorAssociation: ASSOCIATION,
    body: review.body,
    bodyText: review.body,
    state: review.state.toUpperCase(),
    submittedAt: review.submittedAt,
    createdAt: review.submittedAt,
    updatedAt: review.submittedAt,
    url,
    commit: shaNode(gh, review.commit),
    comments: connection(
      async () => (await locateComments(gh.forge, pull)).filter(({ reviewId }) => reviewId === review.id),
      (comment) => lineCommentNode(gh, pull, comment),
    ),
  }
}

/** A thread is a comment on a line and the replies to it. */
export function threadNodes(gh: Gh, { pull }: PullView) {
  return connection(
    async () => {
      const comments = await locateComments(gh.forge, pull)
      return comments.filter(({ inReplyTo }) => inReplyTo === undefined).map((root) => ({ root, comments }))
    },
    ({ root, comments }) => threadNode(gh, pull, root, comments),
  )
}

export async function findThread(gh: Gh, pull: LocalPull, id: string) {
  const comments = await locateComments(gh.forge, pull)
  const root = comments.find((one) => one.id === id && one.inReplyTo === undefined)
  if (!root) throw unresolved(`a node with the global id of 'PRRT_${pull.number}_${id}'`)
  return threadNode(gh, pull, root, comments)
}

function threadNode(gh: Gh, pull: LocalPull, root: LocatedComment, all: readonly LocatedComment[]) {
  const thread = all.filter((one) => (one.inReplyTo ?? one.id) === root.id)
  return {
    __typename: 'PullRequestReviewThread',
    id: `PRRT_${pull.number}_${root.id}`,
    isResolved: root.isResolved,
    resolvedBy: root.resolvedBy === undefined ? null : actor(root.resolvedBy),
    isOutdated: root.isOutdated,
    isCollapsed: root.isResolved,
    path: root.path,
    line: root.isOutdated ? null : (root.line ?? null),
    originalLine: root.originalLine ?? null,
    startLine: root.isOutdated ? null : (root.startLine ?? null),
    originalStartLine: null,
    diffSide: 'RIGHT',
    startDiffSide: null,
    subjectType: root.originalLine === undefined ? 'FILE' : 'LINE',
    viewerCanReply: true,
    viewerCanResolve: !root.isResolved,
    viewerCanUnresolve: root.isResolved,
    comments: connection(
      () => thread,
      (comment) => lineCommentNode(gh, pull, comment),
    ),
  }
}

export function lineCommentNode(gh: Gh, pull: LocalPull, comment: LocatedComment): Record<string, unknown> {
  const root = comment.inReplyTo
  return {
    __typename: 'PullRequestReviewComment',
    ...textFields(comment, `${pull.url}#discussion_r${numericId(comment.id)}`),
    id: `PRRC_${pull.number}_${comment.id}`,
    path: comment.path,
    line: comment.isOutdated ? null : (comment.line ?? null),
    originalLine: comment.originalLine ?? null,
    startLine: comment.isOutdated ? null : (comment.startLine ?? null),
    outdated: comment.isOutdated,
    state: 'SUBMITTED',
    subjectType: comment.originalLine === undefined ? 'FILE' : 'LINE',
    commit: shaNode(gh, pull.headSha),
    originalCommit: shaNode(gh, comment.commit),
    diffHunk: field([], async () => (await diffHunks(gh.forge, pull, [comment]))(comment)),
    replyTo:
      root === undefined
        ? null
        : { __typename: 'PullRequestReviewComment', id: `PRRC_${pull.number}_${root}`, databaseId: numericId(root) },
    pullRequestReview:
      comment.reviewId === null
        ? null
        : {
            __typename: 'PullRequestReview',
            id: `PRR_${pull.number}_${comment.reviewId}`,
            databaseId: numericId(comment.reviewId),
          },
  }
}

export function conversationNode(pull: LocalPull, comment: LocalPull['comments'][number]) {
  return {
    __typename: 'IssueComment',
    ...textFields(comment, `${pull.url}#issuecomment-${numericId(comment.id)}`),
    id: `IC_PR${pull.number}_${comment.id}`,
  }
}

function textFields(comment: LocalPull['comments'][number], url: string) {
  return {
    databaseId: numericId(comment.id),
    fullDatabaseId: numericId(comment.id),
    author: actor(comment.author, comment.isBot),
    authorAssociation: ASSOCIATION,
    body: comment.body,
    bodyText: comment.body,
    createdAt: comment.createdAt,
    publishedAt: comment.createdAt,
    updatedAt: comment.updatedAt ?? comment.createdAt,
    isMinimized: false,
    minimizedReason: null,
    url,
  }
}
