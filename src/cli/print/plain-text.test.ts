import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { displayWidth, toOneLine, toSafeLines, truncate, wrapColumns } from './plain-text.ts'

describe('toOneLine', () => {
  it.each([
    ['plain', 'plain'],
    ['two\nlines', 'two lines'],
    ['\u001b[31mred\u001b[0m', 'red'],
    ['\u001b]0;title\u0007x', 'x'],
    ['\u001b]8;;http://evil\u001b\\click\u001b]8;;\u001b\\', 'click'],
    ['a\u0007b\u0000c', 'a b c'],
    ['gpj.\u202eexe', 'gpj.⟨U+202E⟩exe'],
    ['über ☕', 'über ☕'],
  ])('makes %j safe', (text, expected) => {
    expect(toOneLine(text)).toBe(expected)
  })

  it('leaves no control character of any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        // biome-ignore lint/suspicious/noControlCharactersInRegex: what must not be there
        expect(toOneLine(text)).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e]/)
      }),
    )
  })
})

describe('toSafeLines', () => {
  it('keeps lines and tabs and drops the rest', () => {
    expect(toSafeLines('a\tb\r\n\u001b[2Jc')).toBe('a\tb\nc')
  })
})

describe('truncate', () => {
  it.each([
    ['short', 10, 'short'],
    ['exactly ten', 11, 'exactly ten'],
    ['too long for it', 8, 'too lon…'],
    ['ends in space', 6, 'ends…'],
    ['日本語テキスト', 7, '日本語…'],
    ['日本語', 6, '日本語'],
    ['abc', 1, '…'],
    ['abc', 0, ''],
  ])('cuts %j to %i columns', (text, width, expected) => {
    expect(truncate(text, width)).toBe(expected)
  })

  it('never takes more columns than it may', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 0, max: 40 }), (text, width) => {
        expect(displayWidth(truncate(toOneLine(text), width))).toBeLessThanOrEqual(width)
      }),
    )
  })
})

describe('displayWidth', () => {
  it.each([
    ['abc', 3],
    ['é', 1],
    ['e\u0301', 1],
    ['日本', 4],
    ['🚀', 2],
    ['👩‍💻', 2],
    ['❤️', 2],
    // One cluster each, and as wide as its letters.
    ['\u1100'.repeat(20), 40],
    [`\u0915${'\u093e'.repeat(20)}`, 21],
    ['\u{17000}\u{1f210}', 4],
  ])('measures %s', (text, width) => {
    expect(displayWidth(text)).toBe(width)
  })
})

describe('wrapColumns', () => {
  it.each([
    ['letters', 'abcdef'],
    ['one cluster of letters', '\u1100'.repeat(9)],
    ['one cluster of marks', `\u0915${'\u093e'.repeat(20)}`],
    ['pictures that are joined without end', ['👩', '💻', '👩', '💻', '👩', '💻', '👩'].join('\u200d')],
    ['families', '👨‍👩‍👧‍👦'.repeat(5)],
  ])('keeps %s within its columns in a terminal that joins nothing', (_what, text) => {
    const pieces = wrapColumns(`${text}; rm -rf .`, 8)
    expect(pieces.join('')).toBe(`${text}; rm -rf .`)
    for (const piece of pieces)
      expect(
        [...piece].reduce((sum, one) => sum + displayWidth(one), 0),
        piece,
      ).toBeLessThanOrEqual(8)
  })
})
