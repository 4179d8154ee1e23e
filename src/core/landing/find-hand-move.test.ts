import { expect, it } from 'vitest'
import { findHandMove } from './find-hand-move.ts'

const moves = (...pairs: string[]) => pairs.map((pair) => ({ from: pair[0]!, to: pair[1]! }))

it.each([
  ['one announced merge', 'ab', ['ab'], null],
  ['several announced merges', 'ad', ['ab', 'bc', 'cd'], null],
  ['nothing announced', 'ab', [], 'ab'],
  ['a move by hand before a merge', 'ac', ['bc'], 'ab'],
  ['a move by hand after a merge', 'ac', ['ab'], 'bc'],
  ['a move by hand between merges', 'ad', ['ab', 'cd'], 'bc'],
  ['moved back to before a merge', 'ba', ['ab'], 'ba'],
  ['a circle of announcements', 'ax', ['ab', 'ba'], 'ax'],
])('%s', (_what, way, announced, found) => {
  const [move] = moves(way)
  expect(findHandMove(move!, moves(...announced))).toEqual(found === null ? null : moves(found)[0])
})
