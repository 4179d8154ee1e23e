import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decideReview, type ReviewFacts, type Verdict } from './decide-review.ts'

const facts = (more: Partial<ReviewFacts>): ReviewFacts => ({
  headSha: 'head',
  verdicts: [],
  lacksApproval: false,
  isAwaited: false,
  ...more,
})
const asked = (commit: string | null): Verdict => ({ state: 'changes_requested', commit })
const approved = (commit: string | null): Verdict => ({ state: 'approved', commit })

describe('what reviews amount to for a head', () => {
  it.each<[string, Partial<ReviewFacts>, ReturnType<typeof decideReview>]>([
    ['nobody decided anything', {}, 'none'],
    ['somebody was asked for a review', { isAwaited: true }, 'pending'],
    ['an approval of the head', { verdicts: [approved('head')] }, 'approved'],
    ['an approval of an earlier head', { verdicts: [approved('old')] }, 'pending'],
    ['an approval of an unknown commit', { verdicts: [approved(null)] }, 'pending'],
    ['an approval where rules want more', { verdicts: [approved('head')], lacksApproval: true }, 'pending'],
    ['S0.22 a request for changes of the head', { verdicts: [asked('head')] }, 'changes_requested'],
    ['S0.24 a request for changes of an earlier head', { verdicts: [asked('old')] }, 'pending'],
    ['a request for changes of an unknown commit', { verdicts: [asked(null)] }, 'changes_requested'],
    [
      'a request of the head beside an approval of it',
      { verdicts: [approved('head'), asked('head')] },
      'changes_requested',
    ],
    ['an earlier request beside an approval of the head', { verdicts: [approved('head'), asked('old')] }, 'pending'],
    ['an unknown head', { headSha: null, verdicts: [approved(null)] }, 'pending'],
  ])('%s', (_what, more, expected) => {
    expect(decideReview(facts(more))).toBe(expected)
  })

  it('a new head never leaves the agent with a request that was given for another one, nor with an approval', () => {
    const verdict = fc.record({
      state: fc.constantFrom('approved' as const, 'changes_requested' as const),
      commit: fc.constantFrom('a', 'b', 'c'),
    })
    fc.assert(
      fc.property(fc.array(verdict), fc.boolean(), fc.boolean(), (verdicts, lacksApproval, isAwaited) => {
        const review = decideReview({ headSha: 'new', verdicts, lacksApproval, isAwaited })
        expect(['pending', 'none']).toContain(review)
        if (verdicts.length > 0) expect(review).toBe('pending')
      }),
    )
  })
})
