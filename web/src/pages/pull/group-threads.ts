// Remarks as the threads they form: the first one and the answers to it. Pure.
import type { PullRemark, PullReview } from '../../../../src/contract/dashboard/answers.ts'

export interface Thread {
  first: PullRemark
  /** Oldest first. */
  replies: PullRemark[]
}

export function groupThreads(remarks: readonly PullRemark[]): Thread[] {
  const threads = new Map<string, Thread>()
  for (const remark of remarks) {
    const key = remark.thread ?? remark.id
    const thread = threads.get(key)
    if (thread) thread.replies.push(remark)
    else threads.set(key, { first: remark, replies: [] })
  }
  return [...threads.values()]
}

/** Some forges make a review of every answer: one without a word of its own says nothing. */
export function spokenReviews(reviews: readonly PullReview[], threads: readonly Thread[]): PullReview[] {
  const begun = new Set(threads.map(({ first }) => first.reviewId))
  return reviews.filter(({ id, state, body }) => state !== 'commented' || body.trim() !== '' || begun.has(id))
}
