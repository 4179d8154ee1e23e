import { describe, expect, it } from 'vitest'
import { reviewDecision } from './pull-view.ts'

type Word = ['sam' | 'kim', 'approved' | 'changes_requested' | 'commented', 'old' | 'head']

describe('what reviews amount to', () => {
  it.each<[string, Word[], boolean, string]>([
    ['nobody has looked', [], false, 'pending'],
    ['a draft asks nobody', [], true, 'none'],
    ['S0.21 an approval of the head', [['sam', 'approved', 'head']], false, 'approved'],
    ['an approval of an older commit', [['sam', 'approved', 'old']], false, 'pending'],
    ['S0.24 changes requested of an older commit', [['sam', 'changes_requested', 'old']], false, 'pending'],
    [
      'S0.22 one asks for changes, another approves',
      [
        ['sam', 'changes_requested', 'head'],
        ['kim', 'approved', 'head'],
      ],
      false,
      'changes_requested',
    ],
    [
      'the same person approves afterwards',
      [
        ['sam', 'changes_requested', 'head'],
        ['sam', 'approved', 'head'],
      ],
      false,
      'approved',
    ],
    [
      'a comment revokes nothing',
      [
        ['sam', 'approved', 'head'],
        ['sam', 'commented', 'head'],
      ],
      false,
      'approved',
    ],
  ])('%s', (_what, argv, draft, expected) => {
    const reviews = argv.map(([author, state, commit], id) => ({
      id: String(id),
      author,
      isBot: false,
      state,
      body: '',
      commit,
      base: 'main',
      submittedAt: '',
    }))
    expect(reviewDecision({ reviews, draft, base: 'main' }, { headSha: 'head', from: 'start' })).toBe(expected)
  })

  const approved = { id: '1', author: 'sam', isBot: false, state: 'approved' as const, body: '', submittedAt: '' }
  it.each([
    ['the same start', { from: 'start', base: 'main' }, 'approved'],
    ['a later start, of which less was shown', { from: 'late', base: 'other' }, 'pending'],
    ['an earlier start, of which more was shown', { from: 'early', base: 'main' }, 'approved'],
    ['no recorded start, for this base', { base: 'main' }, 'approved'],
    ['no recorded start, for another base', { base: 'other' }, 'pending'],
  ])('an approval with %s', (_what, about, expected) => {
    const reviews = [{ ...approved, commit: 'head', ...about }]
    const change = { headSha: 'head', from: 'start', earlier: new Set(['early']) }
    expect(reviewDecision({ reviews, draft: false, base: 'main' }, change)).toBe(expected)
  })

  it('requested changes stay with the head, whatever the base is', () => {
    const reviews = [{ ...approved, state: 'changes_requested' as const, commit: 'head', from: 'late', base: 'other' }]
    expect(reviewDecision({ reviews, draft: false, base: 'main' }, { headSha: 'head', from: 'start' })).toBe(
      'changes_requested',
    )
  })
})
