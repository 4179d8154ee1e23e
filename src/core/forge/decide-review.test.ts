import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decideReview, type ReviewFacts, type Verdict } from './decide-review.ts'

const facts = (more: Partial<ReviewFacts>): ReviewFacts => ({
  headSha: 'head',
  baseChanges: [],
  verdicts: [],
  lacksApproval: false,
  isAwaited: false,
  ...more,
})
const AT = '2026-01-02T00:00:00Z'
const changesRequested = (commit: string | null): Verdict => ({ state: 'changes_requested', commit, at: AT })
const approved = (commit: string | null, at = AT): Verdict => ({ state: 'approved', commit, at })
const earlier = '2026-01-01T00:00:00.000+00:00'
const later = '2026-01-03T00:00:00Z'

describe('what reviews amount to for a head', () => {
  it.each<[string, Partial<ReviewFacts>, ReturnType<typeof decideReview>]>([
    ['nobody decided anything', {}, 'none'],
    ['somebody was asked for a review', { isAwaited: true }, 'pending'],
    ['an approval of the head', { verdicts: [approved('head')] }, 'approved'],
    ['an approval of an earlier head', { verdicts: [approved('old')] }, 'pending'],
    ['an approval of an unknown commit', { verdicts: [approved(null)] }, 'pending'],
    ['an approval before the base changed', { verdicts: [approved('head')], baseChanges: [later] }, 'pending'],
    ['an approval in the same second', { verdicts: [approved('head')], baseChanges: [AT] }, 'pending'],
    ['an approval at an unknown time', { verdicts: [approved('head', '')], baseChanges: [earlier] }, 'pending'],
    ['an approval between two changes', { verdicts: [approved('head')], baseChanges: [later, earlier] }, 'pending'],
    ['an approval after the base changed', { verdicts: [approved('head')], baseChanges: [earlier] }, 'approved'],
    [
      'a request before the base changed',
      { verdicts: [changesRequested('head')], baseChanges: [later] },
      'changes_requested',
    ],
    ['an approval where rules want more', { verdicts: [approved('head')], lacksApproval: true }, 'pending'],
    ['S0.22 a request for changes of the head', { verdicts: [changesRequested('head')] }, 'changes_requested'],
    ['S0.24 a request for changes of an earlier head', { verdicts: [changesRequested('old')] }, 'pending'],
    ['a request for changes of an unknown commit', { verdicts: [changesRequested(null)] }, 'changes_requested'],
    [
      'a request of the head beside an approval of it',
      { verdicts: [approved('head'), changesRequested('head')] },
      'changes_requested',
    ],
    [
      'an earlier request beside an approval of the head',
      { verdicts: [approved('head'), changesRequested('old')] },
      'pending',
    ],
    ['an unknown head', { headSha: null, verdicts: [approved(null)] }, 'pending'],
  ])('%s', (_what, more, expected) => {
    expect(decideReview(facts(more))).toBe(expected)
  })

  it('a new head never leaves the agent with a request that was given for another one, nor with an approval', () => {
    const verdict = fc.record({
      state: fc.constantFrom('approved' as const, 'changes_requested' as const),
      commit: fc.constantFrom('a', 'b', 'c'),
      at: fc.constant(AT),
    })
    fc.assert(
      fc.property(fc.array(verdict), fc.boolean(), fc.boolean(), (verdicts, lacksApproval, isAwaited) => {
        const review = decideReview({ headSha: 'new', baseChanges: [], verdicts, lacksApproval, isAwaited })
        expect(['pending', 'none']).toContain(review)
        if (verdicts.length > 0) expect(review).toBe('pending')
      }),
    )
  })
})
