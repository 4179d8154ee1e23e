import { expect, it } from 'vitest'
import { isPlainSolution } from './judge-solution.ts'

const conflict = (ours: string, theirs: string) => `<<<<<<< a\n${ours}=======\n${theirs}>>>>>>> b\n`
const MARKED = `head\n${conflict('x\n', 'y\n')}middle\n${conflict('p\n', '')}tail\n`

it.each([
  ['both conflicts, each in its place', 'head\nx and y\nmiddle\nP\ntail\n', true],
  ['one side, and nothing', 'head\ny\nmiddle\ntail\n', true],
  ['a line elsewhere too', 'HEAD\ny\nmiddle\ntail\n', false],
  ['a line after the last conflict', 'head\ny\nmiddle\np\ntail\nmore\n', false],
  ['the text between them', 'head\ny\nMIDDLE\np\ntail\n', false],
  ['nothing: a marker is left', `head\n${conflict('x\n', 'y\n')}middle\ntail\n`, false],
])('a solution that changes %s: %s', (_what, solved, expected) => {
  expect(isPlainSolution(MARKED, solved)).toBe(expected)
})

it('takes no text with broken or nested markers for a conflict', () => {
  expect(isPlainSolution('<<<<<<< a\nx\n', 'x\n')).toBe(false)
  expect(isPlainSolution('<<<<<<< a\n<<<<<<< b\n=======\n>>>>>>> c\n', 'x\n')).toBe(false)
  expect(isPlainSolution('no conflict\n', 'no conflict\n')).toBe(false)
  // The ends of head and tail must not overlap.
  expect(isPlainSolution(`a\n${conflict('x\n', 'y\n')}a\n`, 'a\n')).toBe(false)
})
