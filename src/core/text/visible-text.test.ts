import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hidesText, markTurns, readableText, visibleLine, visibleText } from './visible-text.ts'

describe('what would not be seen is spelled out', () => {
  it.each([
    ['text that runs backwards', 'cat \u202etxt.sekah\u202c', 'cat ⟨U+202E⟩txt.sekah⟨U+202C⟩'],
    ['a character without width', 'a\u200bb', 'a⟨U+200B⟩b'],
    ['a joiner between letters', 'a\u200db', 'a⟨U+200D⟩b'],
    ['a soft hyphen', 'r\u00adm', 'r⟨U+00AD⟩m'],
    ['an escape sequence', '\u001b[8mevil', '⟨U+001B⟩[8mevil'],
    ['a carriage return', 'rm -rf /\rls', 'rm -rf /⟨U+000D⟩ls'],
    ['a tag', 'a\u{e0041}', 'a⟨U+E0041⟩'],
    ['half a character', 'a\ud800', 'a⟨U+D800⟩'],
    ['a space that is not the space', 'rm\u00a0-rf\u3000x', 'rm⟨U+00A0⟩-rf⟨U+3000⟩x'],
    ['a letter that is blank', 'a\u3164b\u2800c', 'a⟨U+3164⟩b⟨U+2800⟩c'],
    ['a private character', '\ue000', '⟨U+E000⟩'],
    ['a variant of a letter', 'a\ufe0f', 'a⟨U+FE0F⟩'],
    ['the spelling itself', '⟨U+202E⟩ ⏎', '⟨U+27E8⟩U+202E⟩ ⟨U+23CE⟩'],
  ])('%s', (_what, text, shown) => {
    expect(visibleText(text)).toBe(shown)
    expect(visibleLine(text)).toBe(shown)
    expect(hidesText(text)).toBe(!shown.includes('27E8'))
  })

  it.each(['Grüße, 日本 👩‍💻 ❤️ 👍🏽', 'a\tb\nc'])('%j is as it is', (text) => {
    expect(visibleText(text)).toBe(text)
    expect(hidesText(text)).toBe(false)
  })

  it('a line break in one line is a mark', () => {
    expect(visibleLine('ls\nrm\t-rf')).toBe('ls⏎rm⟨U+0009⟩-rf')
  })
})

it('what a terminal plays cannot turn text around', () => {
  expect(markTurns('\u001b[1mcat \u202etxt\u2069')).toBe('\u001b[1mcat \ufffdtxt\ufffd')
})

const anyText = fc.array(
  fc.oneof(
    fc.constantFrom(
      '\u202e',
      '\u200b',
      '\u200d',
      '👩',
      '💻',
      '\ufe0f',
      '\n',
      '\t',
      '\r',
      '⟨',
      '⟩',
      '⏎',
      'U+202E',
      '\ud800',
    ),
    fc.string({ unit: 'binary', maxLength: 3 }),
  ),
  { maxLength: 12 },
)

describe.each([
  ['of several lines', visibleText, /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu],
  ['of one line', visibleLine, /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu],
])('any text %s', (name, show, unseen) => {
  it('shows nothing that is not seen', () => {
    fc.assert(
      fc.property(anyText, (parts) => {
        const rest = show(parts.join('')).replace(
          /(?<=\p{Extended_Pictographic}\ufe0f?)\u200d(?=\p{Extended_Pictographic})/gu,
          '',
        )
        expect(rest.replace(name === 'of several lines' ? /[\n\t]/g : /$^/, '')).not.toMatch(unseen)
      }),
      { numRuns: 2_000 },
    )
  })

  it('differs where the text differs', () => {
    fc.assert(
      fc.property(anyText, anyText, (one, other) => {
        const [a, b] = [one.join(''), other.join('')]
        expect(show(a) === show(b)).toBe(a === b)
      }),
      { numRuns: 2_000 },
    )
  })

  it('can be read back', () => {
    fc.assert(
      fc.property(anyText, (parts) => {
        const back = show(parts.join('')).replaceAll('⏎', '\n')
        const read = back.replace(/⟨U\+([0-9A-F]{4,6})⟩/g, (_, code) => String.fromCodePoint(Number.parseInt(code, 16)))
        expect(read).toBe(parts.join(''))
      }),
      { numRuns: 2_000 },
    )
  })
})

describe('text that is only read', () => {
  it.each([
    ['text that runs backwards', 'feat/a\u202eb', 'feat/a⟨U+202E⟩b'],
    ['an escape sequence', '\u001b[31mred', '⟨U+001B⟩[31mred'],
    ['no width', 'a\u200bb', 'a⟨U+200B⟩b'],
    [
      'joiners, marks and spaces of a language',
      'می\u200cخواهم \u200f12\u00a0% ⟨x⟩ ⏎',
      'می\u200cخواهم \u200f12\u00a0% ⟨x⟩ ⏎',
    ],
  ])('%s', (_name, text, shown) => {
    expect(readableText(text)).toBe(shown)
  })

  it('is the same when it is spelled again', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => readableText(readableText(text)) === readableText(text)),
    )
  })
})
