import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { displayWidth } from './plain-text.ts'
import { type Column, renderTable } from './table.ts'

interface Row {
  id: string
  branch: string
  pr: string
  summary: string
}

const columns: Column<Row>[] = [
  { title: 'ID', text: ({ id }) => id },
  { title: 'BRANCH', text: ({ branch }) => branch, min: 8, drop: 2 },
  { title: 'PR', text: ({ pr }) => pr, short: ({ pr }) => pr.replace(/.*\//, '#') },
  { title: 'SUMMARY', text: ({ summary }) => summary, min: 8, drop: 1 },
]
const row: Row = {
  id: 'app-1',
  branch: 'feat/a-rather-long-branch',
  pr: 'https://example.org/pull/42',
  summary: 'Fix the login form',
}

describe('renderTable', () => {
  it('shows everything when there is room', () => {
    expect(renderTable(columns, [row], { width: Number.POSITIVE_INFINITY })).toEqual([
      'ID     BRANCH                     PR                           SUMMARY',
      'app-1  feat/a-rather-long-branch  https://example.org/pull/42  Fix the login form',
    ])
  })

  it('uses the short words first, then shrinks the widest column', () => {
    expect(renderTable(columns, [row], { width: 70 })).toEqual([
      'ID     BRANCH                     PR   SUMMARY',
      'app-1  feat/a-rather-long-branch  #42  Fix the login form',
    ])
    expect(renderTable(columns, [row], { width: 40 })).toEqual([
      'ID     BRANCH         PR   SUMMARY',
      'app-1  feat/a-rathe…  #42  Fix the logi…',
    ])
  })

  it('drops the column with the highest number when shrinking is not enough', () => {
    expect(renderTable(columns, [row], { width: 24 })).toEqual(['ID     PR   SUMMARY', 'app-1  #42  Fix the log…'])
  })

  it('leaves out a column that is empty everywhere', () => {
    expect(renderTable(columns, [{ ...row, pr: '', branch: 'x' }], { width: 80 })[0]).toBe('ID     BRANCH  SUMMARY')
  })

  it('aligns to the right, indents and paints', () => {
    const numbers: Column<number>[] = [
      { title: 'N', text: String, align: 'right', paint: (text) => `<${text}>` },
      { title: 'X', text: () => 'x' },
    ]
    expect(renderTable(numbers, [5, 123], { width: 80, indent: 2, paintTitle: (text) => text.toLowerCase() })).toEqual([
      '    n  x',
      '  <  5>  x',
      '  <123>  x',
    ])
  })

  it('never makes a line wider than the terminal, whatever is in it', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 60 })
    const rows = fc.array(
      fc.record({ id: fc.string({ maxLength: 6 }), branch: text, pr: fc.constant('a/1'), summary: text }),
    )
    fc.assert(
      fc.property(rows, fc.integer({ min: 24, max: 120 }), (all, width) => {
        for (const line of renderTable(columns, all, { width })) expect(displayWidth(line)).toBeLessThanOrEqual(width)
      }),
    )
  })
})
