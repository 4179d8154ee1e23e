// The types of the query results. Kept next to pull-request-query.ts, whose fields these are.
import type { Actor } from '../github-api/author.ts'

export interface Page<T> {
  pageInfo: { hasNextPage: boolean; endCursor: string | null }
  nodes: Array<T | null> | null
}

export type ContextData =
  | {
      __typename: 'CheckRun'
      databaseId: number | null
      name: string
      status: string
      conclusion: string | null
      detailsUrl: string | null
      startedAt?: string | null
      completedAt?: string | null
    }
  | { __typename: 'StatusContext'; id: string; context: string; state: string; targetUrl: string | null }

export interface RollupData {
  state: string
  contexts: Page<ContextData>
}

export interface CommitData {
  oid: string
  /** Requested for the head only. */
  committedDate?: string
  statusCheckRollup: RollupData | null
}

export interface ThreadData {
  id: string
  isResolved: boolean
  /** Its lines have changed since. */
  isOutdated: boolean
  path: string
  startLine: number | null
  originalStartLine: number | null
  line: number | null
  originalLine: number | null
  comments: { nodes: Array<CommentData | null> | null }
}

interface AnyComment {
  id: string
  url: string
  body: string
  createdAt: string
  authorAssociation: string
  author: Actor | null
}

export interface CommentData extends AnyComment {
  pullRequestReview: { id: string } | null
}

/** Of the conversation: not attached to a line or a thread. */
export interface ConversationData extends AnyComment {
  /** Hidden by somebody as outdated, resolved or worse. */
  isMinimized: boolean
}

export interface ReviewData {
  id: string
  state: string
  body: string
  submittedAt: string | null
  authorAssociation: string
  author: Actor | null
  commit: { oid: string } | null
}

/** The latest verdict of somebody with write access to the repository. */
export interface OpinionData {
  state: string
  submittedAt: string | null
  commit: { oid: string } | null
}

export interface PullRequestData {
  number: number
  url: string
  title: string
  state: string
  isDraft: boolean
  body?: string | null
  createdAt?: string
  updatedAt: string
  closedAt?: string | null
  mergeCommit?: { oid: string } | null
  assignees?: { nodes: Array<{ login: string } | null> | null } | null
  headRefName: string
  headRefOid: string
  baseRefName: string
  mergeable: string
  mergeStateStatus: string
  reviewDecision: string | null
  reviewRequests: {
    totalCount: number
    nodes?: Array<{ requestedReviewer: { login?: string; slug?: string } | null } | null> | null
  } | null
  labels?: { nodes: Array<{ name: string } | null> | null } | null
  author: Actor | null
  comments: { nodes: Array<ConversationData | null> | null } | null
  commits: { nodes: Array<{ commit: CommitData } | null> | null }
  latestOpinionatedReviews: { nodes: Array<OpinionData | null> | null } | null
  /** The last time that its base was exchanged or overwritten. */
  baseChanges: { nodes: Array<{ createdAt: string } | null> | null }
  reviews: { nodes: Array<ReviewData | null> | null } | null
  reviewThreads: Page<ThreadData>
}

export interface BaseData {
  target: { history?: { nodes: Array<CommitData | null> | null } } | null
}

/** null: the repository has no such branch, so nothing was opened from it. */
export type FoundData = {
  associatedPullRequests: { nodes: Array<{ number: number; isCrossRepository: boolean } | null> | null }
} | null

/** GraphQL lists may contain nulls where something could not be read. */
export function nonNull<T>(nodes: Array<T | null> | null | undefined): T[] {
  return (nodes ?? []).filter((node) => node !== null)
}
