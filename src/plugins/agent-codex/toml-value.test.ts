import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { tomlList, tomlString, tomlTable } from './toml-value.ts'

/** What TOML allows inside a basic string: no control character unescaped, and no half surrogate. */
const BASIC_STRING = /^"(?:[^"\\\p{Cc}\p{Cs}]|\\["\\bfnrt]|\\u[0-9a-f]{4})*"$/u

describe('values for Codex flags', () => {
  it('writes any text as one line that TOML reads back', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const written = tomlString(text)
        expect(written).toMatch(BASIC_STRING)
        expect(written).not.toContain('\n')
        expect(JSON.parse(written)).toBe(text.toWellFormed())
      }),
    )
  })

  it.each([
    ['\x7f', '"\\u007f"'],
    ['\x80\x9f', '"\\u0080\\u009f"'],
    ['\ud800', '"\ufffd"'],
    ['a"b\\c\n', '"a\\"b\\\\c\\n"'],
  ])('writes %j as %s', (text, written) => {
    expect(tomlString(text)).toBe(written)
  })

  it('writes lists and tables with quoted keys', () => {
    expect(tomlList(['a', 'b"'])).toBe('["a","b\\""]')
    expect(tomlTable([['/a.b "c"', '{x=1}']])).toBe('{"/a.b \\"c\\""={x=1}}')
  })
})
