// From the forge's answer to what the page shows. Pure.
import type { PullCheck, PullRemark, PullReview, PullRow } from '../../contract/dashboard/answers.ts'
import type { LocalPullComment } from '../../forge/pulls/pull-events.ts'
import type { Check, PrSnapshot, ReviewComment } from '../../slots/scm.ts'
import type { KnownPull, PullReading } from './pull-reading.ts'

export function toRow({ project }: Pick<PullReading, 'project'>, known: KnownPull): PullRow {
  const { sessionId, staleReason } = known
  const common = { projectId: project.id, sessionId, staleReason }
  if (known.kind === 'remote') return { ...common, ...remoteRow(known.snapshot) }
  const { pull, state, headSha, ci, checks, review, hasConflicts, failingOnBase } = known.view
  return {
    ...common,
    isLocal: true,
    url: pull.url,
    number: pull.number,
    title: pull.title,
    state,
    isDraft: pull.draft,
    ci,
    review,
    hasConflicts,
    headSha,
    branch: pull.head,
    baseBranch: pull.base,
    author: pull.author,
    createdAt: pull.createdAt,
    updatedAt: pull.updatedAt,
    labels: pull.labels,
    assignees: pull.assignees,
    reviewers: pull.reviewers,
    checks: checks.map((check) => toCheck(check, { failingOnBase, hasLog: check.status !== 'pending' })),
  }
}

function remoteRow(snapshot: PrSnapshot): Omit<PullRow, 'projectId' | 'sessionId' | 'staleReason'> {
  const { pr, state, headSha, ci, checks, review, hasConflicts, failingOnBase, updatedAt } = snapshot
  return {
    isLocal: false,
    url: pr.url,
    number: pr.number,
    title: pr.title ?? null,
    state,
    isDraft: pr.isDraft ?? false,
    ci,
    review,
    hasConflicts,
    headSha,
    branch: pr.branch ?? null,
    baseBranch: pr.baseBranch ?? null,
    author: null,
    createdAt: null,
    updatedAt,
    labels: [],
    assignees: [],
    reviewers: [],
    // The slot promises logs of failed checks only.
    checks: checks.map((check) => toCheck(check, { failingOnBase, hasLog: check.status === 'failed' })),
  }
}

function toCheck(check: Check, more: { failingOnBase: string[]; hasLog: boolean }): PullCheck {
  const { id, name, status, url, note } = check
  const failsOnBase = status === 'failed' && more.failingOnBase.includes(name)
  return { id, name, status, url: url ?? null, hasLog: more.hasLog, failsOnBase, note }
}

export function toReviews(known: KnownPull): PullReview[] {
  const reviews =
    known.kind === 'local'
      ? known.view.pull.reviews
      : known.snapshot.reviews.map((one) => ({ ...one, author: one.author.login }))
  return reviews.map(({ id, author, state, body, commit, submittedAt }) => ({
    id,
    author,
    state,
    body,
    commit,
    submittedAt,
  }))
}

/** As they were written; where they belong now is in pull-remark-places.ts. */
export function toRemarks(known: KnownPull): PullRemark[] {
  return known.kind === 'local' ? known.view.pull.comments.map(localRemark) : known.snapshot.comments.map(remoteRemark)
}

export function localRemark(comment: LocalPullComment): PullRemark {
  const { id, author, isBot, inReplyTo } = comment
  const inThread = { thread: inReplyTo ?? id, isReply: inReplyTo !== undefined }
  return { ...commonOf(comment), author, isBot, isAgent: isBot, ...inThread, isOutdated: false }
}

function remoteRemark(comment: ReviewComment): PullRemark {
  const { author, isAgent = false, thread = null, isReply = false, isOutdated = false } = comment
  return { ...commonOf(comment), author: author.login, isBot: author.isBot, isAgent, thread, isReply, isOutdated }
}

function commonOf(comment: LocalPullComment | ReviewComment) {
  const { id, reviewId, body, path = null, startLine = null, line = null, isResolved, createdAt } = comment
  return { id, reviewId, body, path, startLine, line, isResolved, createdAt }
}
