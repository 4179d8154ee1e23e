import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { neutralisePaste } from './paste-text.ts'

describe('neutralisePaste', () => {
  it.each([
    ['CI is failing. Run `gh pr checks` to see failures and fix them.', null],
    ['a\n\n\tb\n', null],
    ['C-c', null],
    ['ends in ;', null],
    ['-n -- "quotes" \'single\' $HOME \\ é 漢字 😀', null],
    ['one\r\ntwo\rthree', 'one\ntwo\nthree'],
    ['before\u001b[201~after', 'before[201~after'],
    ['bell\u0007 nul\u0000 del\u007f csi\u009b201~', 'bell nul del csi201~'],
    ['half a pair \ud800!', 'half a pair \ufffd!'],
  ])('S2.80 hands %j over', (text, expected) => {
    expect(neutralisePaste(text)).toBe(expected ?? text)
  })

  it('S2.83 leaves no text that could end its own paste, and is stable', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const safe = neutralisePaste(text)
        // biome-ignore lint/suspicious/noControlCharactersInRegex: their absence is the point
        expect(safe).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/)
        expect(neutralisePaste(safe)).toBe(safe)
      }),
    )
  })
})
