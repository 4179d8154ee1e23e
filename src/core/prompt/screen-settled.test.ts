import { expect, it } from 'vitest'
import { isScreenSettled } from './screen-settled.ts'

it.each([
  ['right after a key', { sinceTouchMs: 10, sinceChangeMs: 5_000 }, false],
  ['emptied, and not drawn again yet', { sinceTouchMs: 400, sinceChangeMs: 380 }, false],
  ['drawn again, and quiet', { sinceTouchMs: 700, sinceChangeMs: 260 }, true],
  ['drawn again, and quiet for long enough', { sinceTouchMs: 600, sinceChangeMs: 250 }, true],
  ['a moment before that', { sinceTouchMs: 599, sinceChangeMs: 250 }, false],
  ['not quiet for long enough', { sinceTouchMs: 600, sinceChangeMs: 249 }, false],
  ['still being drawn', { sinceTouchMs: 700, sinceChangeMs: 20 }, false],
  ['a spinner', { sinceTouchMs: 1_500, sinceChangeMs: 10 }, true],
  ['long ago', { sinceTouchMs: Number.POSITIVE_INFINITY, sinceChangeMs: 0 }, true],
])('%s: %j is settled: %j', (_what, progress, expected) => {
  expect(isScreenSettled(progress)).toBe(expected)
})
