import { expect, it } from 'vitest'
import type { TreeResult } from './decide-train.ts'
import { decideWatch } from './decide-watch.ts'

const RESULTS: Record<string, TreeResult | null> = {
  '+': { state: 'passed' },
  '-': { state: 'failed', check: 'unit' },
  '?': null,
  '.': { state: 'running' },
}

/** `+` green, `-` red, `?` not tested, `.` being tested; oldest first. */
const decide = (marks: string, isAfterGreen = true) =>
  decideWatch({
    chain: [...marks].map((_, index) => String(index)),
    isAfterGreen,
    resultOf: (commit) => RESULTS[marks[Number(commit)]!]!,
  })
const red = (commit: string | null) => ({ kind: 'red', check: 'unit', commit })

it.each([
  ['', true, { kind: 'green' }],
  ['?-+', true, { kind: 'green' }],
  ['??', true, { kind: 'test', commit: '1' }],
  ['?.', true, { kind: 'waiting' }],
  ['-', true, red('0')],
  ['-', false, red(null)],
  ['+-', true, red('1')],
  ['--', true, red('0')],
  ['???-', true, { kind: 'test', commit: '1' }],
  ['?+?-', true, { kind: 'test', commit: '2' }],
  ['?+--', true, red('2')],
  ['?--?', true, { kind: 'test', commit: '3' }],
  ['.-??-', true, { kind: 'waiting' }],
])('%s (after a green one: %s) is %j', (marks, isAfterGreen, expected) => {
  expect(decide(marks, isAfterGreen)).toEqual(expected)
})

it('finds the first red one of any chain, and tests no more than it must', () => {
  for (let length = 1; length <= 40; length++)
    for (let guilty = 0; guilty < length; guilty++) {
      const results = new Map<string, TreeResult>()
      const chain = Array.from({ length }, (_, index) => String(index))
      const resultOf = (commit: string) => results.get(commit) ?? null
      let step = decideWatch({ chain, isAfterGreen: true, resultOf })
      for (; step.kind === 'test'; step = decideWatch({ chain, isAfterGreen: true, resultOf }))
        results.set(step.commit, RESULTS[Number(step.commit) < guilty ? '+' : '-']!)
      expect([step, results.size <= 2 + Math.ceil(Math.log2(length))]).toEqual([red(String(guilty)), true])
    }
})
