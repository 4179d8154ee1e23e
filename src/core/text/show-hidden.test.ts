import { describe, expect, it } from 'vitest'
import { showHidden, showHiddenInLines, showHiddenOnScreen } from './show-hidden.ts'

const ATTACKS = {
  'an escape sequence': '\u001b[2Ja',
  'the clipboard': '\u001b]52;c;ZXZpbA==\u0007',
  'a title': '\u001b]0;evil\u001b\\',
  'a C1 control': '\u009b2J',
  'a carriage return': 'rm -rf /\rls       ',
  'a backspace': 'evil\b\b\b\bgood',
  'text that runs backwards': 'a\u202eb\u2066c',
  'characters without width': 'a\u200bb\ufeffc\u00add',
  'tags beyond the first plane': 'a\u{e0041}b',
  'a line separator': 'a\u2028b\u2029c',
  'invisible colours': 'a\u001b[8mhidden\u001b[0m\u001b[30;40mb',
}
const DANGEROUS = /(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u

describe('text that could act on a terminal', () => {
  it.each(Object.entries(ATTACKS))('%s is written as numbers', (_what, text) => {
    for (const show of [showHidden, showHiddenInLines, showHiddenOnScreen]) {
      expect(show(text)).not.toMatch(DANGEROUS)
      // The same JSON, so that a program reads what was there.
      expect(JSON.parse(showHiddenOnScreen(JSON.stringify(text)))).toBe(text)
    }
  })

  it('is whole otherwise', () => {
    const text = 'Grüße, 日本 👩‍💻 tab\tend\r\nnext\n'
    expect(showHiddenInLines(text)).toBe(text)
    expect(showHiddenOnScreen(`\u001b[31m${text}\u001b[39m`)).toBe(`\u001b[31m${text}\u001b[39m`)
    expect(showHidden('a\nb\tc')).toBe('a\\u000ab\\u0009c')
  })
})
