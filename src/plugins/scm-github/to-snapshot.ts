// One pull request from GitHub, in our terms. Pure. What GitHub has not computed yet stays null.
import type { Check, Pull, Review, ReviewComment } from '../../contract/pull.ts'
import { readSignature } from '../../core/forge/comment-signature.ts'
import { decideReview, type Verdict } from '../../core/forge/decide-review.ts'
import { toAuthor } from '../github-api/author.ts'
import type { RepositoryName } from '../github-api/repository-name.ts'
import { commentAuthor } from '../http-api/comment-author.ts'
import { openConversation } from '../http-api/open-conversation.ts'
import { summarizeChecks, toCheck } from './check-state.ts'
import {
  type CommentData,
  type ContextData,
  type ConversationData,
  nonNull,
  type OpinionData,
  type PullRequestData,
  type ReviewData,
  type ThreadData,
} from './pull-request-data.ts'

export interface SnapshotParts {
  data: PullRequestData
  name: RepositoryName
  /** All pages. */
  contexts: ContextData[]
  threads: ThreadData[]
  /** Names of what fails at the tip of the base branch. */
  failingAtBase: ReadonlySet<string>
}

export function toSnapshot({ data, name, contexts, threads, failingAtBase }: SnapshotParts): Pull {
  const checks = contexts.map(toCheck)
  const head = nonNull(data.commits.nodes)[0]?.commit
  const reviews = nonNull(data.reviews?.nodes).flatMap(toReview)
  const author = data.author?.login ?? null
  const state = stateOf(data)
  return {
    pr: {
      url: data.url,
      number: data.number,
      title: data.title,
      owner: name.owner,
      repo: name.repo,
      branch: data.headRefName,
      baseBranch: data.baseRefName,
      isDraft: data.isDraft,
    },
    state,
    headSha: data.headRefOid,
    ci: summarizeChecks(checks, head?.statusCheckRollup?.state ?? null),
    checks,
    review: decisionOf(data),
    reviews,
    comments: [
      ...threads.flatMap((thread) => toComments(thread, author, data.headRefOid)),
      ...openConversation({
        comments: nonNull(data.comments?.nodes).map(toConversation),
        author,
        headAt: head?.committedDate ?? null,
        reviews,
      }),
    ],
    hasConflicts: conflictsOf(data),
    mergeable: state === 'open' ? mergeableOf(data) : false,
    failingOnBase: failing(checks).filter((one) => failingAtBase.has(one)),
    labels: nonNull(data.labels?.nodes).map((label) => label.name),
    assignees: nonNull(data.assignees?.nodes).map(({ login }) => login),
    reviewers: nonNull(data.reviewRequests?.nodes).flatMap(
      ({ requestedReviewer: one }) => one?.login ?? one?.slug ?? [],
    ),
    body: data.body ?? '',
    author,
    createdAt: data.createdAt,
    updatedAt: data.updatedAt,
    closedAt: data.closedAt,
    mergeCommit: data.mergeCommit?.oid ?? null,
  }
}

function failing(checks: readonly Check[]): string[] {
  return [...new Set(checks.filter(({ status }) => status === 'failed').map((check) => check.name))]
}

function stateOf({ state }: PullRequestData): Pull['state'] {
  if (state === 'MERGED') return 'merged'
  return state === 'CLOSED' ? 'closed' : 'open'
}

function conflictsOf({ mergeable, mergeStateStatus }: PullRequestData): boolean | null {
  if (mergeable === 'CONFLICTING' || mergeStateStatus === 'DIRTY') return true
  return mergeable === 'MERGEABLE' ? false : null
}

const MERGE_STATES: ReadonlySet<string> = new Set(['CLEAN', 'HAS_HOOKS', 'UNSTABLE'])

/** UNSTABLE: only non-required checks are unfinished or failed; CI is judged separately. */
function mergeableOf({ mergeable, mergeStateStatus, isDraft }: PullRequestData): boolean | null {
  if (mergeable === 'CONFLICTING' || isDraft) return false
  if (mergeable !== 'MERGEABLE' || mergeStateStatus === 'UNKNOWN') return null
  return MERGE_STATES.has(mergeStateStatus)
}

/**
 * GitHub keeps verdicts when more is pushed, and without a rule that requires reviews it decides nothing: the latest verdict of
 * everyone with write access counts, for the commit it was given for.
 */
function decisionOf(data: PullRequestData): Pull['review'] {
  const verdicts = nonNull(data.latestOpinionatedReviews?.nodes).flatMap(toVerdict)
  const { reviewDecision } = data
  const isListed = (state: Verdict['state']) => verdicts.some((one) => one.state === state)
  // By somebody who is not among those listed.
  if (reviewDecision === 'CHANGES_REQUESTED' && !isListed('changes_requested')) return 'changes_requested'
  return decideReview({
    headSha: data.headRefOid,
    baseChanges: nonNull(data.baseChanges.nodes).map(({ createdAt }) => createdAt),
    verdicts,
    lacksApproval: reviewDecision === 'REVIEW_REQUIRED',
    isAwaited: reviewDecision !== null || (data.reviewRequests?.totalCount ?? 0) > 0,
  })
}

function toVerdict({ state, commit, submittedAt }: OpinionData): Verdict[] {
  const verdict = REVIEW_STATES[state]
  if (verdict !== 'approved' && verdict !== 'changes_requested') return []
  return [{ state: verdict, commit: commit?.oid ?? null, at: submittedAt ?? '' }]
}

const REVIEW_STATES: Readonly<Record<string, Review['state']>> = {
  APPROVED: 'approved',
  CHANGES_REQUESTED: 'changes_requested',
  COMMENTED: 'commented',
  DISMISSED: 'dismissed',
}

/** A review that is still being written (PENDING) concerns only its author. */
function toReview(review: ReviewData): Review[] {
  const state = REVIEW_STATES[review.state]
  if (state === undefined || review.submittedAt === null) return []
  return [
    {
      id: review.id,
      author: toAuthor(review.author, review.authorAssociation),
      state,
      body: readSignature(review.body).body,
      commit: review.commit?.oid ?? null,
      submittedAt: review.submittedAt,
    },
  ]
}

/** Replies by the pull request's author in a thread are not remarks about the work: an agent would hear itself. */
function toComments(thread: ThreadData, prAuthor: string | null, head: string): ReviewComment[] {
  const line = thread.line ?? thread.originalLine
  const startLine = thread.line === null ? thread.originalStartLine : thread.startLine
  return nonNull(thread.comments.nodes).map((comment, index) => {
    const described = toComment(comment)
    const isByOpener = comment.author !== null && comment.author.login === prAuthor
    return {
      ...described,
      ...commentAuthor({ text: comment.body, author: described.author, isByOpener, openerIsAgent: index > 0 }),
      reviewId: comment.pullRequestReview?.id ?? null,
      path: thread.path,
      startLine: startLine ?? undefined,
      line: line ?? undefined,
      // GitHub moves lines along with the head.
      commit: thread.line === null ? undefined : head,
      thread: thread.id,
      isReply: index > 0,
      isOutdated: thread.isOutdated,
      isResolved: thread.isResolved,
    }
  })
}

function toConversation(comment: ConversationData): ReviewComment {
  return { ...toComment(comment), reviewId: null, isResolved: comment.isMinimized }
}

function toComment({ id, author, authorAssociation, body, url, createdAt }: CommentData | ConversationData) {
  return { id, author: toAuthor(author, authorAssociation), body, url, createdAt }
}
