import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { diffLines, diffRows } from './diff-lines.ts'

const lines = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 12 })

describe('the difference of two texts', () => {
  it('makes the second of the first', () => {
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        const made = [...before]
        for (const { from, to, otherFrom, otherTo } of diffLines(before, after).reverse())
          made.splice(from, to - from, ...after.slice(otherFrom, otherTo))
        expect(made).toEqual(after)
      }),
    )
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
