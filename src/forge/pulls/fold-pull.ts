// Folds the events of a pull request into its state. Pure.
import { changeNames, NAME_LISTS } from './name-list.ts'
import type { LocalPull, LocalPullComment, LocalReviewComment, PullEvent } from './pull-events.ts'

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
    labels: first.labels ?? [],
    assignees: first.assignees ?? [],
    reviewers: first.reviewers ?? [],
    state: 'open',
    headSha,
    heads: [{ sha: headSha, at }],
    reviews: [],
    comments: [],
    merging: null,
    mergeCommit: null,
    mergeBefore: null,
    pastTrain: false,
    createdAt: at,
    updatedAt: at,
    closedAt: null,
    closedBy: null,
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
      for (const list of NAME_LISTS) pull[list] = changeNames(pull[list], event[list] ?? {})
      return
    case 'pushed':
      moveHead(pull, event.headSha, event.at)
      return
    case 'reviewed':
      addReview(pull, event)
      return
    case 'commented':
      addComment(pull, describeComment(event.comment, event, null))
      return
    case 'comment_edited':
      for (const one of pull.comments)
        if (one.id === event.commentId) Object.assign(one, { body: event.body, updatedAt: event.at })
      return
    case 'resolved':
      // A thread is resolved as a whole.
      for (const one of pull.comments)
        if ((one.inReplyTo ?? one.id) === event.commentId)
          Object.assign(one, { isResolved: event.resolved, resolvedBy: event.resolved ? event.by : undefined })
      return
    case 'merging':
      pull.merging = event
      return
    case 'merge_abandoned':
      pull.merging = null
      return
    case 'merged':
      moveHead(pull, event.headSha, event.at)
      if (pull.merging?.commit === event.commit) pull.mergeBefore = pull.merging.baseBefore
      pull.pastTrain = pull.merging?.commit === event.commit && pull.merging.pastTrain === true
      Object.assign(pull, { state: 'merged', merging: null, mergeCommit: event.commit })
      Object.assign(pull, { closedAt: event.at, closedBy: event.by })
      return
    case 'closed':
      moveHead(pull, event.headSha, event.at)
      Object.assign(pull, { state: 'closed', closedAt: event.at, closedBy: event.by })
      return
    case 'reopened':
      Object.assign(pull, { state: 'open', closedAt: null, closedBy: null })
      return
    case 'opened':
      // A second opening cannot happen; a line copied by hand must not undo what followed.
      return
  }
}

function moveHead(pull: LocalPull, sha: string, at: string): void {
  if (pull.headSha === sha) return
  pull.headSha = sha
  pull.heads.push({ sha, at })
}

function addReview(pull: LocalPull, event: Extract<PullEvent, { type: 'reviewed' }>): void {
  const { id, state, body, commit, from, isBot, comments, by, at } = event
  pull.reviews.push({ id, author: by, isBot, state, body, commit, from, base: pull.base, submittedAt: at })
  pull.reviewers = changeNames(pull.reviewers, { remove: [by] })
  for (const comment of comments) addComment(pull, describeComment(comment, event, id))
}

function addComment(pull: LocalPull, comment: LocalPullComment): void {
  const isResolved = pull.comments.find(({ id }) => id === comment.inReplyTo)?.isResolved ?? false
  pull.comments.push({ ...comment, isResolved })
}

function describeComment(
  comment: LocalReviewComment,
  { by, at, isBot }: { by: string; at: string; isBot: boolean },
  reviewId: string | null,
): LocalPullComment {
  return { ...comment, author: by, isBot, reviewId, isResolved: false, createdAt: at }
}
