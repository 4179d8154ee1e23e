import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { applyHunks, changesOf, diffLines, diffRows } from './diff-lines.ts'

const lines = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 12 })

describe('the difference of two texts', () => {
  it('makes the second of the first', () => {
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        expect(applyHunks(before, changesOf(before, after))).toEqual(after)
      }),
    )
  })

  it('is one change where they are too different', () => {
    const many = (letters: string) => Array.from({ length: 1_200 }, (_, at) => letters[at % letters.length]!)
    const [before, after] = [
      ['first', ...many('ab'), 'last'],
      ['first', ...many('cda'), 'last'],
    ]
    expect(diffLines(before!, after!)).toBeNull()
    expect(changesOf(before!, after!)).toEqual([{ from: 1, to: 1_201, lines: after!.slice(1, -1) }])
  })

  it('is shown with the lines around it, and says how many are left out', () => {
    const before = ['1', '2', '3', '4', '5', '6', '7', '8', '9'].join('\n')
    expect(diffRows(before, before.replace('5', 'five'), 1)).toEqual([
      { kind: 'skipped', text: '3' },
      { kind: 'same', text: '4' },
      { kind: 'removed', text: '5' },
      { kind: 'added', text: 'five' },
      { kind: 'same', text: '6' },
      { kind: 'skipped', text: '3' },
    ])
    expect(diffRows(before, before)).toEqual([])
  })
})
