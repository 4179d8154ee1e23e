// A pull request of the local forge as the list of what happened to it, and what that makes of it. Pure.

export interface LocalReviewComment {
  id: string
  body: string
  path?: string
  line?: number
}

export type ReviewState = 'approved' | 'changes_requested' | 'commented'
export type MergeMethod = 'squash' | 'merge' | 'rebase'

export type PullEventBody =
  | {
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
    }
  | {
      type: 'edited'
      title?: string | undefined
      body?: string | undefined
      base?: string | undefined
      draft?: boolean | undefined
    }
  | { type: 'pushed'; headSha: string }
  | {
      type: 'reviewed'
      id: string
      state: ReviewState
      body: string
      /** The head it was given for. */
      commit: string
      isBot: boolean
      comments: LocalReviewComment[]
    }
  | { type: 'commented'; isBot: boolean; comment: LocalReviewComment }
  | { type: 'resolved'; commentId: string; resolved: boolean }
  /** Written before the base branch is moved: whether it was moved decides what became of it. */
  | {
      type: 'merging'
      headSha: string
      baseBefore: string
      commit: string
      method: MergeMethod
      /** The checkout that has the base branch and is to follow. */
      checkout: string | null
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
  submittedAt: string
}

export interface LocalPullComment extends LocalReviewComment {
  author: string
  isBot: boolean
  reviewId: string | null
  isResolved: boolean
  createdAt: string
}

export interface LocalPull {
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
  /** The newest one written down; the branch may have moved on since. */
  headSha: string
  heads: Array<{ sha: string; at: string }>
  reviews: LocalReview[]
  comments: LocalPullComment[]
  /** A merge that was begun and of which no end is written. */
  merging: Extract<PullEvent, { type: 'merging' }> | null
  mergeCommit: string | null
  createdAt: string
  updatedAt: string
  closedAt: string | null
}

/** null: the first event is not the opening, so there is nothing to build on. */
export function foldPull(number: number, events: readonly PullEvent[]): LocalPull | null {
  const [first, ...rest] = events
  if (first?.type !== 'opened') return null
  const { title, body, head, base, headSha, draft, session, url, at, by } = first
  const pull: LocalPull = {
    number,
    url,
    title,
    body,
    head,
    base,
    draft,
    author: by,
    session,
    state: 'open',
    headSha,
    heads: [{ sha: headSha, at }],
    reviews: [],
    comments: [],
    merging: null,
    mergeCommit: null,
    createdAt: at,
    updatedAt: at,
    closedAt: null,
  }
  for (const event of rest) applyEvent(pull, event)
  return pull
}

function applyEvent(pull: LocalPull, event: PullEvent): void {
  pull.updatedAt = event.at
  switch (event.type) {
    case 'edited':
      pull.title = event.title ?? pull.title
      pull.body = event.body ?? pull.body
      pull.base = event.base ?? pull.base
      pull.draft = event.draft ?? pull.draft
      return
    case 'pushed':
      moveHead(pull, event.headSha, event.at)
      return
    case 'reviewed':
      addReview(pull, event)
      return
    case 'commented':
      pull.comments.push(describeComment(event.comment, event, null))
      return
    case 'resolved':
      for (const one of pull.comments) if (one.id === event.commentId) one.isResolved = event.resolved
      return
    case 'merging':
      pull.merging = event
      return
    case 'merge_abandoned':
      pull.merging = null
      return
    case 'merged':
      moveHead(pull, event.headSha, event.at)
      Object.assign(pull, { state: 'merged', merging: null, mergeCommit: event.commit, closedAt: event.at })
      return
    case 'closed':
      moveHead(pull, event.headSha, event.at)
      Object.assign(pull, { state: 'closed', closedAt: event.at })
      return
    case 'reopened':
      Object.assign(pull, { state: 'open', closedAt: null })
      return
    case 'opened':
      // A second opening cannot happen; a hand that copied a line must not undo what followed.
      return
  }
}

function moveHead(pull: LocalPull, sha: string, at: string): void {
  if (pull.headSha === sha) return
  pull.headSha = sha
  pull.heads.push({ sha, at })
}

function addReview(pull: LocalPull, event: Extract<PullEvent, { type: 'reviewed' }>): void {
  const { id, state, body, commit, isBot, comments, by, at } = event
  pull.reviews.push({ id, author: by, isBot, state, body, commit, submittedAt: at })
  for (const comment of comments) pull.comments.push(describeComment(comment, event, id))
}

function describeComment(
  comment: LocalReviewComment,
  { by, at, isBot }: { by: string; at: string; isBot: boolean },
  reviewId: string | null,
): LocalPullComment {
  return { ...comment, author: by, isBot, reviewId, isResolved: false, createdAt: at }
}
