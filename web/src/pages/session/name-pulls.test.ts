import { expect, it } from 'vitest'
import type { PullCard } from '../../../../src/contract/pull.ts'
import { namePulls } from './name-pulls.ts'

const pull = (number: number | null) => ({ url: `https://forge.test/pull/${number}`, number }) as PullCard

it.each([
  ['its own by number', 'https://forge.test/pull/3 is open', '#3 is open'],
  ['its other ones too', 'left: https://forge.test/pull/4', 'left: #4'],
  ["nobody else's", 'https://evil.test/pull/3', 'https://evil.test/pull/3'],
  ['none without a number', 'https://forge.test/pull/null', 'https://forge.test/pull/null'],
])('names %s', (_, text, named) => {
  expect(namePulls(text, { pr: pull(3), otherPulls: [pull(4), pull(null)] })).toBe(named)
})
