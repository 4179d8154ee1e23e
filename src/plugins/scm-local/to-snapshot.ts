// A pull request of the local forge in the slot's terms. Pure.
import type { Author, Pull, Review, ReviewComment } from '../../contract/pull.ts'
import { mergeObstacle } from '../../forge/merge/merge-pull.ts'
import { toPrInfo } from '../../forge/pulls/find-pull.ts'
import type { PullView } from '../../forge/pulls/observe-pulls.ts'
import type { LocalPull, LocalPullComment, LocalReview } from '../../forge/pulls/pull-events.ts'
import type { LocalForge } from '../../forge/types.ts'

export function toSnapshot(forge: LocalForge, view: PullView): Pull {
  const { pull, state, headSha, baseSha, ci, checks, review, hasConflicts, mergeable, failingOnBase } = view
  const { labels, assignees, reviewers, body, author, session } = pull
  const { createdAt, updatedAt, closedAt, closedBy, mergeCommit, pastTrain } = pull
  return {
    pr: toPrInfo(pull, forge.project.id),
    state,
    headSha,
    baseSha,
    ci,
    checks: checks.map((check) => ({ ...check, url: `${pull.url}/checks/${encodeURIComponent(check.name)}` })),
    review,
    reviews: pull.reviews.map(toReview),
    comments: pull.comments.map((comment) => ({ ...toComment(comment, session), commit: commitOf(pull, comment) })),
    hasConflicts,
    mergeable,
    failingOnBase,
    labels,
    assignees,
    reviewers,
    body,
    author,
    session,
    createdAt,
    updatedAt,
    closedAt,
    closedBy,
    mergeCommit,
    pastTrain,
    mergedOutside: isMergedOutside(view),
    heads: pull.heads.map(({ sha }) => sha),
    mergeProblem: problemOf(view),
  }
}

/** Every merge of ao is recorded before the base branch moves. */
function isMergedOutside({ pull, state }: PullView): boolean {
  return state === 'merged' && pull.merging === null && pull.mergeBefore === null
}

function problemOf(view: PullView): string | null {
  if (view.state !== 'open') return `it is ${view.state}`
  if (view.hasConflicts) return `it conflicts with ${view.pull.base}`
  return mergeObstacle(view, {})?.why ?? null
}

export function toReview({ author, isBot, ...rest }: LocalReview): Review {
  return { ...rest, author: toAuthor(author, isBot) }
}

/** The session's own words are not remarks about its work. */
export function toComment(comment: LocalPullComment, session: string | null): ReviewComment {
  const { author, isBot, inReplyTo, ...rest } = comment
  return {
    ...rest,
    author: toAuthor(author, isBot),
    thread: inReplyTo ?? rest.id,
    isReply: inReplyTo !== undefined,
    isAgent: isBot,
    isOwn: author === session,
  }
}

/** The head it was written for. An answer has the lines of the comment that it answers, as they were then. */
function commitOf(pull: LocalPull, comment: LocalPullComment): string {
  const { reviewId, createdAt } = pull.comments.find(({ id }) => id === comment.inReplyTo) ?? comment
  const review = pull.reviews.find(({ id }) => id === reviewId)
  return review?.commit ?? pull.heads.findLast(({ at }) => at <= createdAt)?.sha ?? pull.heads[0]?.sha ?? pull.headSha
}

/** Anyone who can write into this directory owns the machine. */
function toAuthor(login: string, isBot: boolean): Author {
  return { login, isBot, isMember: true }
}
