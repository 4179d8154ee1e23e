// What the reviews of a pull request amount to for one change. Pure.
import type { LocalPull, LocalReview } from './pull-events.ts'

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
