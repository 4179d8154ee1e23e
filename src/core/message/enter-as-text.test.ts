import { describe, expect, it } from 'vitest'
import { enterAsText, withoutInvisible } from './enter-as-text.ts'

const RULES = { '!': 'space', '/': 'mark', '#': 'refuse' } as const

describe('a message is entered as text', () => {
  it.each([
    ['an ordinary one as it is', 'fix the tests', 'fix the tests'],
    ['one with the character further on', 'run !ls, or /help', 'run !ls, or /help'],
    ['one that begins with it, behind a space', '!ls', ' !ls'],
    ['one that has a space there already, as it is', ' !ls', ' !ls'],
    ['one that begins with it, behind a mark', '/quit', '\u200b/quit'],
    ['also behind spaces and line breaks, which agents remove', '\n  /quit', '\u200b\n  /quit'],
    ['a key of every object is not a rule', 'constructor', 'constructor'],
  ])('%s', (_name, text, entered) => {
    expect(enterAsText(text, RULES)).toEqual({ text: entered })
  })

  it('or not at all, with the reason', () => {
    expect(enterAsText('#note', RULES)).toEqual({ refused: 'a message that begins with # is a command there' })
  })
})

it('invisible marks go, letters and emoji stay', () => {
  expect(withoutInvisible('a\u202eb\u202c\u200b\ufeffc 👩\u200d👧 é')).toBe('abc 👩\u200d👧 é')
})
