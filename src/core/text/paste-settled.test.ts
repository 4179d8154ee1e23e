import { describe, expect, it } from 'vitest'
import { isPasteSettled } from './paste-text.ts'

describe('isPasteSettled', () => {
  it.each([
    ['the screen has not changed yet', { sincePasteMs: 900, sinceChangeMs: null }, false],
    ['the application echoes nothing', { sincePasteMs: 1_000, sinceChangeMs: null }, true],
    ['the screen has just changed', { sincePasteMs: 200, sinceChangeMs: 10 }, false],
    ['the screen came to rest', { sincePasteMs: 400, sinceChangeMs: 300 }, true],
    ['a spinner never rests, early', { sincePasteMs: 1_499, sinceChangeMs: 5 }, false],
    ['a spinner never rests, late', { sincePasteMs: 1_500, sinceChangeMs: 5 }, true],
  ])('F28 %s', (_what, seen, settled) => {
    expect(isPasteSettled({ bytes: 0, ...seen })).toBe(settled)
  })

  it('F28 gives a long text more time on a restless screen', () => {
    expect(isPasteSettled({ bytes: 100_000, sincePasteMs: 3_000, sinceChangeMs: 5 })).toBe(false)
    expect(isPasteSettled({ bytes: 100_000, sincePasteMs: 3_500, sinceChangeMs: 5 })).toBe(true)
  })
})
