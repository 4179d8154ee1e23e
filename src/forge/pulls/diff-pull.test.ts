import { expect, it } from 'vitest'
import { newLines } from './diff-pull.ts'

it.each<[string, Array<[number, number]>]>([
  ['@@ -7,7 +7,7 @@ x\n', [[7, 13]]],
  ['@@ -1 +1 @@\n', [[1, 1]]],
  ['@@ -0,0 +1,3 @@\n', [[1, 3]]],
  ['@@ -1,4 +0,0 @@\n', [[1, 4]]],
  [
    '@@ -1,2 +1,3 @@\n+a\n@@ -90,3 +91,4 @@ f()\n',
    [
      [1, 3],
      [91, 94],
    ],
  ],
  ['', []],
])('%j shows the lines %j', (diff, lines) => {
  expect(newLines(diff)).toEqual(lines)
})
