// What is new since a review: one choice for each person who reviewed an earlier head. Pure.
import type { PullDetail } from '../../../../src/contract/dashboard/answers.ts'
import type { Scope } from '../../review/scope-select.tsx'

export function sinceScopes({ pull, reviews, viewer }: PullDetail): Scope[] {
  const newest = new Map<string, PullDetail['reviews'][number]>()
  for (const review of reviews) {
    // What the session's own agent says about its work is no review of it.
    if (review.commit !== null && review.author !== pull.sessionId) newest.set(review.author, review)
  }
  const older = [...newest.values()]
    .filter(({ commit }) => commit !== pull.headSha)
    .sort((a, b) => Number(b.author === viewer) - Number(a.author === viewer))
  // Two who reviewed the same commit have the same news.
  return older
    .filter(({ commit }, index) => older.findIndex((one) => one.commit === commit) === index)
    .map(({ author, commit }) => ({
      value: `since:${commit}`,
      label: author === viewer ? 'Since your review' : `Since the review by ${author}`,
    }))
}
