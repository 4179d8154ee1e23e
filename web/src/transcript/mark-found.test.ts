import { expect, it } from 'vitest'
import { offsetsIn } from './mark-found.ts'

it.each<[string, string[], Array<[number, number]>]>([
  [
    'A Needle, and needles',
    ['needle'],
    [
      [2, 8],
      [14, 20],
    ],
  ],
  [
    'one two',
    ['two', 'one'],
    [
      [4, 7],
      [0, 3],
    ],
  ],
  ['nothing', ['needle'], []],
  // Its small form is longer: no position would be right.
  ['İ needle', ['needle'], []],
  [
    'aaaa',
    ['aa'],
    [
      [0, 2],
      [2, 4],
    ],
  ],
])('marks the words of %j', (text, terms, offsets) => {
  expect(offsetsIn(text, terms)).toEqual(offsets)
})
