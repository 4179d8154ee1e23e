import { expect, it } from 'vitest'
import { rewoundLines } from './rewound-lines.ts'

const BACK = { notice: null, conversation: 'back', keptBecause: null } as const

it.each([
  ['an agent that went back', BACK, /^Its agent has gone back, too/],
  ['one that is not running', { ...BACK, conversation: 'next-start' }, /not running; with its next start/],
  [
    'one that could not, and why',
    { ...BACK, conversation: 'kept', keptBecause: 'it has no copy' },
    /because it has no copy\.$/,
  ],
] as const)('names %s', (_, facts, line) => {
  expect(rewoundLines(facts)).toEqual([expect.stringMatching(line)])
})

it('puts first what is not as it was', () => {
  expect(rewoundLines({ ...BACK, notice: 'a.bin is missing' })[0]).toBe('a.bin is missing')
})
