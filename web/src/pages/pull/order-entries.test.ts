import { expect, it } from 'vitest'
import type { CommitRow, PullReview } from '../../../../src/contract/dashboard/answers.ts'
import { type Entry, orderEntries } from './order-entries.ts'

const at = (hour: number) => `2026-01-01T${String(hour).padStart(2, '0')}:00:00.000Z`
const commit = (sha: string, hour: number): CommitRow => ({ sha, subject: sha, author: 'x', at: at(hour) })
const review = (of: string | null, hour: number): Entry => {
  const own = { id: `review of ${of}`, author: 'sam', state: 'approved', body: '', commit: of, submittedAt: at(hour) }
  return { at: at(hour), review: own as PullReview }
}
const order = (entries: Entry[], commits: CommitRow[]) =>
  orderEntries(entries, commits).map((entry) => entry.review?.id ?? entry.commit?.sha)

it('shows commits and reviews by time', () => {
  expect(order([review(null, 2), review('b', 4)], [commit('a', 1), commit('b', 3)])).toEqual([
    ...['a', 'review of null', 'b', 'review of b'],
  ])
})

it('shows a commit that was pushed after a review behind it, whatever time it claims', () => {
  expect(order([review('a', 5)], [commit('a', 1), commit('b', 2)])).toEqual(['a', 'review of a', 'b'])
})

it('shows a commit that was reviewed before its review, whatever time it claims', () => {
  expect(order([review('a', 5)], [commit('a', 23)])).toEqual(['a', 'review of a'])
})

it('keeps the order of git', () => {
  expect(order([], [commit('a', 9), commit('b', 2), commit('c', 3)])).toEqual(['a', 'b', 'c'])
})
