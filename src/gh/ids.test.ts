import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { issueCommentId, numericId, parseIssueCommentId } from './ids.ts'

describe('ids', () => {
  it('are numbers that GraphQL can carry, the same for the same thing', () => {
    const name = fc.oneof(
      fc.string(),
      fc.nat().map((n) => `comment-${n.toString(16).padStart(8, 'f')}`),
    )
    fc.assert(
      fc.property(name, (id) => {
        const number = numericId(id)
        expect(number).toBe(numericId(id))
        expect(Number.isInteger(number) && number > 0 && number < 2 ** 31).toBe(true)
      }),
    )
    expect(numericId('comment-ffffffff')).toBe(2 ** 31 - 1)
    expect(numericId('comment-00000000')).toBe(1)
  })

  it('of comments of an issue lead back to it', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 100_000 }), fc.integer({ min: 0, max: 9_998 }), (issue, index) => {
        expect(parseIssueCommentId(issueCommentId(issue, index))).toEqual({ issue, index })
        expect(issueCommentId(issue, index)).toBeLessThan(2 ** 31)
      }),
    )
  })
})
