import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { holdsMessage } from './message-text.ts'

describe('a message in what an agent wrote down', () => {
  it.each([
    ['hello', 'hello', true],
    ['  hello\r\n', 'hello', true],
    ['one two\n three', 'one\ntwo three', true],
    ['before\nyes\nafter', 'yes', true],
    ['oh yes, of course', 'yes', false],
    ['first the long message that was sent, then more', 'the long message that was sent', true],
    ['', 'hello', false],
    ['hello', '', false],
    ['hello', '   ', false],
  ])('%j holds %j: %s', (recorded, message, expected) => {
    expect(holdsMessage(recorded, message)).toBe(expected)
  })

  it('is found whatever whitespace is around and inside', () => {
    const word = fc.stringMatching(/^[a-z.]{1,8}$/)
    const gap = fc.constantFrom(' ', '\n', '\t', '\r\n', '  ')
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 20 }), gap, gap, (tokens, sent, recorded) => {
        expect(holdsMessage(`${recorded}${tokens.join(recorded)}${recorded}`, tokens.join(sent))).toBe(true)
      }),
    )
  })
})

describe('what agents make of letters and marks', () => {
  it.each([
    ['composed letters', 'caf\u00e9 au lait for everyone', 'cafe\u0301 au lait for everyone'],
    ['marks of direction removed', 'abc and then some more words', '\u202eabc\u202c and then some more words'],
    ['a mark before a command', '\u200b!ls -l in the directory', '!ls -l in the directory'],
    ['emoji without its style', '\u2764 all of it, please, thank you', '\u2764\ufe0f all of it, please, thank you'],
  ])('%s: the same message', (_name, recorded, message) => {
    expect(holdsMessage(recorded, message)).toBe(true)
  })

  it('another letter is another message', () => {
    expect(holdsMessage('cafe au lait for everyone', 'caf\u00e9 au lait for everyone')).toBe(false)
  })
})
