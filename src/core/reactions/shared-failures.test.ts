import { expect, it } from 'vitest'
import { type CheckFailure, findSharedFailures } from './shared-failures.ts'

const failure = (sessionId: string, logTail: string, more: Partial<CheckFailure> = {}): CheckFailure => ({
  sessionId,
  check: 'test',
  logTail,
  failsOnBase: false,
  ...more,
})
const shared = (...failures: CheckFailure[]) =>
  findSharedFailures(failures).map(({ check, sessionIds, why }) => `${check} of ${sessionIds.join()}: ${why}`)

it.each([
  ['one alone is its own', [failure('a', 'x is wrong')], []],
  [
    'two that differ in numbers, hashes and spaces are the same',
    [failure('b', 'line 12  of 0123abcd\n'), failure('a', 'line 7 of fedcba98765')],
    ['test of a,b: 2 sessions fail it in the same way'],
  ],
  ['two that differ in words are not', [failure('a', 'x is wrong'), failure('b', 'y is wrong')], []],
  ['the same session twice is one', [failure('a', 'x'), failure('a', 'x')], []],
  ['without a log nobody knows', [failure('a', ' \n'), failure('b', ' \n')], []],
  ['another check is another failure', [failure('a', 'x'), failure('b', 'x', { check: 'lint' })], []],
  [
    'what the base branch fails too is shared by one already, whatever its log says',
    [failure('a', 'x', { failsOnBase: true }), failure('b', '', { failsOnBase: true })],
    ['test of a,b: the base branch fails it too'],
  ],
  [
    'only the end of a log counts',
    [failure('a', `x${'-'.repeat(600)}`), failure('b', `y${'-'.repeat(600)}`)],
    ['test of a,b: 2 sessions fail it in the same way'],
  ],
])('%s', (_what, failures, expected) => {
  expect(shared(...failures)).toEqual(expected)
})

it('has the same fingerprint as long as it is the same failure', () => {
  const of = (...failures: CheckFailure[]) => findSharedFailures(failures)[0]?.fingerprint
  const first = of(failure('a', 'line 1'), failure('b', 'line 2'))
  expect(of(failure('c', 'line 3'), failure('d', 'line 4'))).toBe(first)
  expect(of(failure('a', 'word'), failure('b', 'word'))).not.toBe(first)
})
