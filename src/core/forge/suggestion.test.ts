import { describe, expect, it } from 'vitest'
import { applyEdits, readSuggestion } from './suggestion.ts'

const block = (...lines: string[]) => ['```suggestion', ...lines, '```'].join('\n')

describe('a suggestion in a comment', () => {
  it.each([
    ['of one line', `Better:\n\n${block('const a = 1')}\n`, ['const a = 1']],
    ['with blank lines and spaces kept', block('  a', '', '  b'), ['  a', '', '  b']],
    ['that removes the lines', block(), []],
    ['written on Windows', block('a', 'b').replaceAll('\n', '\r\n'), ['a', 'b']],
    ['with a fence inside', '````suggestion\n```js\n```\n````', ['```js', '```']],
    ['with tildes', '~~~suggestion\na\n~~~', ['a']],
  ])('is read %s', (_, body, lines) => expect(readSuggestion(body)).toEqual({ lines, before: 0, after: 0 }))

  it('of GitLab names lines around its own', () => {
    expect(readSuggestion('```suggestion:-1+2\na\n```')).toEqual({ lines: ['a'], before: 1, after: 2 })
  })

  it.each([
    ['nothing', 'Just words'],
    ['other code', '```js\na\n```'],
    ['a block that never ends', '```suggestion\na'],
    ['more than one, of which one would have to choose', `${block('a')}\n${block('b')}`],
    ['a word that begins like it', '```suggestions\na\n```'],
  ])('is not %s', (_, body) => expect(readSuggestion(body)).toBeNull())
})

describe('edits of lines', () => {
  const text = 'one\ntwo\nthree\nfour\n'

  it('are made together, whatever their order, and change nothing else', () => {
    const edits = [
      { from: 4, to: 4, lines: ['4', '4b'] },
      { from: 1, to: 2, lines: ['1'] },
    ]
    expect(applyEdits(text, edits)).toBe('1\nthree\n4\n4b\n')
    expect(applyEdits(text, [{ from: 2, to: 3, lines: [] }])).toBe('one\nfour\n')
  })

  it('keep how the file ends its lines, and that its last line has no end', () => {
    expect(applyEdits('a\r\nb\r\n', [{ from: 2, to: 2, lines: ['c', 'd'] }])).toBe('a\r\nc\r\nd\r\n')
    expect(applyEdits('a\nb', [{ from: 2, to: 2, lines: ['c'] }])).toBe('a\nc')
  })

  it('are refused when they overlap or are outside of the file', () => {
    for (const edits of [
      [
        { from: 1, to: 2, lines: [] },
        { from: 2, to: 2, lines: [] },
      ],
      [{ from: 5, to: 5, lines: [] }],
      [{ from: 0, to: 1, lines: [] }],
      [{ from: 3, to: 2, lines: [] }],
    ])
      expect(applyEdits(text, edits)).toBeNull()
  })
})
