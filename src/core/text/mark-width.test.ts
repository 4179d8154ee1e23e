import { describe, expect, it } from 'vitest'
import { activateGraphemes } from './mark-width.ts'

type Registered = Parameters<Parameters<typeof activateGraphemes>[0]['register']>[0]

/** What the terminal asks, after an addon has registered widths of its own. */
function widths(): Registered {
  let registered: Registered | undefined
  const unicode = {
    activeVersion: '6',
    register: (given: Registered) => {
      registered = given
    },
  }
  activateGraphemes(unicode, {
    activate: (terminal: typeof unicode | { unicode: typeof unicode }) =>
      (terminal as { unicode: typeof unicode }).unicode.register({
        version: '15-graphemes',
        wcwidth: () => 2,
        charProperties: () => 8,
      }),
  })
  expect(unicode.activeVersion).toBe('15-graphemes')
  return registered!
}

describe('how wide a terminal draws a character', () => {
  it.each([
    ['a mark for Arabic letters', 0x61c],
    ['a space of no width', 0x200b],
    ['a mark from left to right', 0x200e],
    ['an override of the direction', 0x202e],
    ['an isolate', 0x2066],
    ['a byte order mark', 0xfeff],
  ])('is nothing for %s, which stays with the letter before it', (_what, code) => {
    expect(widths().wcwidth(code)).toBe(0)
    expect(widths().charProperties(code, 4)).toBe(5)
  })

  it.each([
    ['a letter', 0x61],
    ['a soft hyphen', 0xad],
    ['the joiner of emoji', 0x200d],
    ['a space', 0x20],
    ['an emoji', 0x1f600],
  ])('is what the addon says for %s', (_what, code) => {
    expect(widths().wcwidth(code)).toBe(2)
    expect(widths().charProperties(code, 4)).toBe(8)
  })

  it('has the version under which the addon registered itself', () => {
    expect(widths().version).toBe('15-graphemes')
  })
})
