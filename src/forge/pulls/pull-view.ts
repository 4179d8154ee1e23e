// A pull request at one moment, and what that amounts to: its checks, its reviews, whether it may be merged. Pure.

import type { Author, Check, Pull, PullRef, Review, ReviewComment } from '../../contract/pull.ts'
import { readSignature } from '../../core/forge/comment-signature.ts'
import { forkProblem } from '../../core/landing/merge-problem.ts'
import type { LocalPull, LocalPullComment, LocalReview } from './pull-events.ts'

/** With what only this forge knows of it. */
export interface ObservedPull extends Pull {
  stored: LocalPull
  baseSha: string | null
  /** Where its change starts: the merge base, or the base itself when they have nothing in common. */
  from: string | null
  /** Where an open one left its base: several when histories cross, none when they have nothing in common. null: unknown. */
  mergeBases: string[] | null
}

/** What a merge demands of it. */
export interface MergeConditions {
  /** The head that was checked and approved; undefined: whatever it is now. */
  expected?: string | undefined
  /** Even with failing or unfinished checks, or when changes are requested. */
  force?: boolean | undefined
  /** Agents may merge only what somebody approved. */
  needsApproval?: boolean | undefined
}

/** What the branches, the checks and git say of it now. */
type Moment = Pick<ObservedPull, 'state' | 'headSha' | 'baseSha' | 'from' | 'mergeBases' | 'ci' | 'checks' | 'review'> &
  Pick<ObservedPull, 'hasConflicts' | 'mergeable' | 'failingOnBase'>

export function describePull(stored: LocalPull, projectId: string, now: Moment): ObservedPull {
  const { labels, assignees, reviewers, body, author, session } = stored
  const { createdAt, updatedAt, closedAt, closedBy, mergeCommit, pastTrain } = stored
  return {
    ...now,
    stored,
    pr: toPrInfo(stored, projectId),
    checks: now.checks.map((check) => ({ ...check, url: `${stored.url}/checks/${encodeURIComponent(check.name)}` })),
    reviews: stored.reviews.map(toReview),
    comments: stored.comments.map((comment) => ({ ...toComment(comment, session), commit: commitOf(stored, comment) })),
    ...{ labels, assignees, reviewers, body, author, session },
    ...{ createdAt, updatedAt, closedAt, closedBy, mergeCommit, pastTrain },
    // Every merge of ao is recorded before the base branch moves.
    mergedOutside: now.state === 'merged' && stored.merging === null && stored.mergeBefore === null,
    heads: stored.heads.map(({ sha }) => sha),
    mergeProblem: mergeProblemOf(stored, now),
  }
}

export function toPrInfo(pull: LocalPull, projectId: string): PullRef & { number: number } {
  return {
    url: pull.url,
    number: pull.number,
    title: pull.title,
    owner: 'projects',
    repo: projectId,
    branch: pull.head,
    baseBranch: pull.base,
    isDraft: pull.draft,
  }
}

export function toReview({ author, isBot, ...rest }: LocalReview): Review {
  return { ...rest, author: toAuthor(author, isBot) }
}

/** The session's own words are not remarks about its work. */
export function toComment(comment: LocalPullComment, session: string | null): ReviewComment {
  const { author, isBot, inReplyTo, ...rest } = comment
  const { body, writer } = readSignature(comment.body)
  return {
    ...rest,
    body,
    author: toAuthor(author, isBot),
    thread: inReplyTo ?? rest.id,
    isReply: inReplyTo !== undefined,
    isAgent: isBot,
    isOwn: author === session || writer?.kind === 'ao',
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

function mergeProblemOf(stored: LocalPull, now: Moment): string | null {
  if (now.state !== 'open') return `it is ${now.state}`
  if (now.hasConflicts) return `it conflicts with ${stored.base}`
  return mergeObstacle({ ...now, stored }, {})?.why ?? null
}

export function ciOf(checks: readonly Check[]): Pull['ci'] {
  if (checks.length === 0) return 'none'
  if (checks.some(({ status }) => status === 'failed')) return 'failing'
  return checks.every(({ status }) => status === 'passed') ? 'passing' : 'pending'
}

/** What prevents a merge, as far as that is known without trying. */
export function mergeObstacle(
  view: Moment & Pick<ObservedPull, 'stored'>,
  options: MergeConditions,
): { why: string; hint?: string } | null {
  const { stored: pull, headSha, baseSha, checks, ci } = view
  if (options.expected !== undefined && options.expected !== headSha) {
    const why = `its head is ${headSha.slice(0, 10)}, not ${options.expected.slice(0, 10)} as expected`
    return { why, hint: `Look at what was pushed: ao pr diff ${pull.number}` }
  }
  if (baseSha === null) return { why: `there is no base branch ${pull.base}` }
  if (pull.draft) return { why: 'it is a draft' }
  const fork = view.mergeBases?.length !== 1 && view.mergeBases && forkProblem(view.mergeBases, pull)
  if (fork) return fork
  if (options.needsApproval && view.review !== 'approved') return { why: `nobody has approved ${headSha.slice(0, 10)}` }
  if (!options.force && view.review === 'changes_requested') return { why: 'changes are requested' }
  if (options.force || ci === 'passing' || ci === 'none') return null
  const open = checks.filter(({ status }) => status !== 'passed').map(({ name, status }) => `${name} (${status})`)
  const why = `checks have not passed on ${headSha.slice(0, 10)}: ${open.join(', ')}`
  return { why, hint: `Look at them with: ao pr checks ${pull.number}` }
}

/** What is reviewed: everything between two commits. */
export interface ReviewedChange {
  headSha: string
  /** The merge base; null: not known now. */
  from: string | null
  /** Earlier starts in the same history: whoever reviewed everything since one of these has seen all of it. */
  earlier?: ReadonlySet<string> | undefined
}

/**
 * An approval belongs to the change that was shown: a new head needs a new one, and so does another base that makes more of the
 * same head. Requested changes stay with the head. Only each person's last verdict counts.
 */
export function reviewDecision(
  pull: Pick<LocalPull, 'reviews' | 'draft' | 'base'>,
  change: ReviewedChange,
): 'approved' | 'changes_requested' | 'pending' | 'none' {
  const last = new Map<string, 'approved' | 'changes_requested' | 'outdated'>()
  for (const review of pull.reviews) {
    if (review.commit !== change.headSha || review.state === 'commented') continue
    const isOutdated = review.state === 'approved' && !isAbout(review, pull, change)
    last.set(review.author, isOutdated ? 'outdated' : review.state)
  }
  const verdicts = [...last.values()]
  if (verdicts.includes('changes_requested')) return 'changes_requested'
  if (verdicts.includes('approved')) return 'approved'
  return pull.draft ? 'none' : 'pending'
}

/** Is the review about exactly this change? Of an older one only the base branch is known. */
export function isAbout(
  review: Pick<LocalReview, 'commit' | 'from' | 'base'>,
  pull: Pick<LocalPull, 'base'>,
  { headSha, from, earlier }: ReviewedChange,
): boolean {
  if (review.commit !== headSha) return false
  if (review.from === undefined) return review.base === pull.base
  return review.from === from || earlier?.has(review.from) === true
}
