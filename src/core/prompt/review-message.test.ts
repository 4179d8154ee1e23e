import { describe, expect, it } from 'vitest'
import { reviewMessage } from './review-message.ts'

describe('a review as one message', () => {
  it('names the lines of each comment and quotes its lines, then says what a suggestion is', () => {
    const message = reviewMessage({
      summary: ' Almost. ',
      comments: [
        { path: 'src/a.ts', startLine: null, line: 3, code: 'const a = 1', body: 'Why?' },
        { path: 'b.ts', startLine: 7, line: 8, code: 'x\n\ny', body: '```suggestion\nz\n```' },
        { path: 'gone.ts', startLine: 5, line: 5, code: null, body: 'Keep it' },
      ],
    })
    expect(message.split('\n')).toEqual([
      'I reviewed your work and have these comments on it.',
      '',
      'Almost.',
      '',
      '1. src/a.ts, line 3:',
      '> const a = 1',
      '',
      'Why?',
      '',
      '2. b.ts, lines 7-8:',
      '> x',
      '>',
      '> y',
      '',
      '```suggestion',
      'z',
      '```',
      '',
      '3. gone.ts, line 5:',
      '',
      'Keep it',
      '',
      'A block marked `suggestion` is what the lines above it should be replaced with.',
      '',
      'Address each of them, and say what you did about it.',
    ])
  })

  it('quotes no more than is needed to find the lines, and may be a summary alone', () => {
    const code = Array.from({ length: 400 }, (_, n) => `line ${n}`).join('\n')
    const long = reviewMessage({ summary: '', comments: [{ path: 'a', startLine: 1, line: 400, code, body: 'All' }] })
    expect(long.match(/^>/gm)).toHaveLength(12)
    expect(reviewMessage({ summary: 'Good.', comments: [] })).toBe('I reviewed your work.\n\nGood.')
  })
})
