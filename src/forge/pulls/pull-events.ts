// A pull request of the local forge: the events in its file, and what they amount to.
import type { MergeMethod } from '../../contract/forges.ts'
import type { PullNameChanges, PullNames } from './name-list.ts'

export interface LocalReviewComment {
  id: string
  body: string
  path?: string | undefined
  /** The first of several lines; they end with `line`. */
  startLine?: number | undefined
  line?: number | undefined
  /** The comment that started the thread; it is on the same line. */
  inReplyTo?: string | undefined
}

export type ReviewState = 'approved' | 'changes_requested' | 'commented'

export type PullEventBody =
  | ({
      type: 'opened'
      title: string
      body: string
      head: string
      base: string
      headSha: string
      draft: boolean
      /** The session whose agent opened it; null: a person. */
      session: string | null
      url: string
    } & Partial<PullNames>)
  | ({
      type: 'edited'
      title?: string | undefined
      body?: string | undefined
      base?: string | undefined
      draft?: boolean | undefined
    } & PullNameChanges)
  | { type: 'pushed'; headSha: string }
  | {
      type: 'reviewed'
      id: string
      state: ReviewState
      body: string
      /** The head it was given for. */
      commit: string
      /** Where the change that was reviewed starts: the merge base. Absent in reviews of older versions. */
      from?: string | undefined
      isBot: boolean
      comments: LocalReviewComment[]
    }
  | { type: 'commented'; isBot: boolean; comment: LocalReviewComment }
  | { type: 'comment_edited'; commentId: string; body: string }
  | { type: 'resolved'; commentId: string; resolved: boolean }
  /** Written before the base branch is moved: whether it was moved decides the outcome. */
  | {
      type: 'merging'
      headSha: string
      baseBefore: string
      commit: string
      method: MergeMethod
      /** The checkout that has the base branch and has to follow. */
      checkout: string | null
      /** A person merged it although the project has a train. */
      pastTrain?: boolean | undefined
    }
  | { type: 'merged'; headSha: string; commit: string }
  | { type: 'merge_abandoned'; commit: string }
  | { type: 'closed'; headSha: string }
  | { type: 'reopened' }

/** `at` is ISO 8601, `by` a session id or a person's login. */
export type PullEvent = PullEventBody & { at: string; by: string }

export interface LocalReview {
  id: string
  author: string
  isBot: boolean
  state: ReviewState
  body: string
  commit: string
  from?: string | undefined
  /** The base branch at that time. */
  base: string
  submittedAt: string
}

export interface LocalPullComment extends LocalReviewComment {
  author: string
  isBot: boolean
  reviewId: string | null
  isResolved: boolean
  /** Who resolved it last. */
  resolvedBy?: string | undefined
  createdAt: string
  /** Only if it was edited. */
  updatedAt?: string | undefined
}

export interface LocalPull extends PullNames {
  number: number
  url: string
  title: string
  body: string
  head: string
  base: string
  draft: boolean
  author: string
  session: string | null
  state: 'open' | 'merged' | 'closed'
  /** The newest recorded head; the branch may have moved on since. */
  headSha: string
  heads: Array<{ sha: string; at: string }>
  reviews: LocalReview[]
  comments: LocalPullComment[]
  /** A merge that was begun and has no recorded end. */
  merging: Extract<PullEvent, { type: 'merging' }> | null
  mergeCommit: string | null
  /** The base branch before it was merged, if known. */
  mergeBefore: string | null
  /** It was merged although the project has a train. */
  pastTrain: boolean
  createdAt: string
  updatedAt: string
  closedAt: string | null
  /** Who merged or closed it, if known. */
  closedBy: string | null
}
