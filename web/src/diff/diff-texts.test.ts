import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { diffTexts } from './diff-texts.ts'
import { parseDiff } from './parse-diff.ts'

describe('diffTexts', () => {
  it('gives back both texts when its diff is read', () => {
    const lines = fc.array(fc.constantFrom('a', 'b', '', '+x', '-y'), { maxLength: 12 })
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        const [file] = parseDiff(diffTexts('x.ts', `${before.join('\n')}\n`, `${after.join('\n')}\n`))
        const side = (without: string) =>
          file!.hunks.flatMap((hunk) => hunk.lines.filter((line) => line.kind !== without).map((line) => line.text))
        const from = file!.hunks[0]!.newStart - 1
        const whole = (text: string[]) => (text.length === 0 ? [''] : text)
        expect(whole(after).slice(from, from + side('removed').length)).toEqual(side('removed'))
        expect(whole(before).slice(from, from + side('added').length)).toEqual(side('added'))
      }),
    )
  })

  it('keeps the lines that stay', () => {
    const [file] = parseDiff(diffTexts('x', 'a\nkeep\nb\n', 'A\nkeep\nB\n'))
    expect(file!.hunks[0]!.lines.map((line) => line.kind)).toEqual(['removed', 'added', 'same', 'removed', 'added'])
  })

  it('calls a file without a past new', () => {
    expect(parseDiff(diffTexts('x', null, 'a\nb\n'))[0]).toMatchObject({ change: 'added', added: 2, removed: 0 })
  })
})
