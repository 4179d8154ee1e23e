// The order of a conversation. When a commit was made is whatever its author says, so commits stand in the order of git, and before or
// behind a review according to the commit that it is about.
import type { CommitRow, PullDetail, PullReview } from '../../../../src/contract/dashboard/answers.ts'
import type { Thread } from './group-threads.ts'

export interface Entry {
  at: string
  review?: PullReview
  thread?: Thread
  byAgent?: PullDetail['commitReviews'][number]
  commit?: CommitRow
}

/** Commits: oldest first. */
export function orderEntries(entries: readonly Entry[], commits: readonly CommitRow[]): Entry[] {
  const positions = new Map(commits.map(({ sha }, position) => [sha, position]))
  const reviewed = entries.flatMap(({ at, review, byAgent }) => {
    const position = positions.get(review?.commit ?? byAgent?.head ?? '')
    return position === undefined ? [] : [{ position, at: Date.parse(at) }]
  })
  let last = Number.NEGATIVE_INFINITY
  const pushed = commits.map((commit, position) => {
    const before = reviewed.filter((one) => one.position < position).map(({ at }) => at)
    const after = reviewed.filter((one) => one.position >= position).map(({ at }) => at - 1)
    last = Math.max(last, ...before, Math.min(Date.parse(commit.at), ...after))
    return { time: last, entry: { at: commit.at, commit } }
  })
  // Of the same time, a commit stands behind.
  return [...entries.map((entry): Placed => ({ time: Date.parse(entry.at), entry })), ...pushed]
    .sort((a, b) => a.time - b.time)
    .map(({ entry }) => entry)
}

interface Placed {
  time: number
  entry: Entry
}
