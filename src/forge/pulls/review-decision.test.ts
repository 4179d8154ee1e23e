import { describe, expect, it } from 'vitest'
import { reviewDecision } from './review-decision.ts'

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
  ])('%s', (_what, words, draft, expected) => {
    const reviews = words.map(([author, state, commit], id) => ({
      id: String(id),
      author,
      isBot: false,
      state,
      body: '',
      commit,
      submittedAt: '',
    }))
    expect(reviewDecision({ reviews, draft }, 'head')).toBe(expected)
  })
})
