import { expect, it } from 'vitest'
import { takeBack } from './take-back.ts'

const before = 'a\nb\nc\nd\n'
it.each([
  ['changed lines', 'a\nB\nc\nd\n', [2, 1, 2, 1], before],
  ['added lines', 'a\nnew\nb\nc\nd\n', [1, 0, 2, 1], before],
  ['removed lines', 'a\nd\n', [2, 2, 1, 0], before],
  ['lines added at the beginning', 'x\ny\na\nb\nc\nd\n', [0, 0, 1, 2], before],
  ['one of two changes', 'A\nb\nc\nD\n', [4, 1, 4, 1], 'A\nb\nc\nd\n'],
  ['a last line break', 'a\nb\nc\nd', [4, 1, 4, 1], before],
  ['other ends of lines', 'a\r\nb\nc\nd\n', [1, 1, 1, 1], before],
] as const)('takes back %s', (_what, after, [oldStart, oldLines, newStart, newLines], expected) => {
  expect(takeBack(before, after, { oldStart, oldLines, newStart, newLines })).toBe(expected)
})

it.each([
  [5, 1, 1, 1],
  [1, 1, 9, 1],
  [0, 1, 1, 1],
  [-1, 0, 1, 1],
  [1, -1, 1, 1],
  [1.5, 1, 1, 1],
  [Number.NaN, 1, 1, 1],
  [1, 1e300, 1, 1],
])('knows no lines %d,%d %d,%d', (oldStart, oldLines, newStart, newLines) => {
  expect(takeBack(before, before, { oldStart, oldLines, newStart, newLines })).toBeNull()
})
