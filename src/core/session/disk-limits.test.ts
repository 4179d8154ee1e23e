import { expect, it } from 'vitest'
import { beyondLimit, limitsOf, whyRescueGoes } from './disk-limits.ts'

const DAY = 24 * 60 * 60_000
const kept = [
  { id: 'middle', bytes: 30, at: 2 },
  { id: 'newest', bytes: 50, at: 3 },
  { id: 'oldest', bytes: 20, at: 1 },
  { id: 'nothing', bytes: 0, at: 0 },
]
const beyond = (maxBytes: number) => beyondLimit(kept, maxBytes).map(({ id }) => id)

it.each([
  [100, []],
  [99, ['oldest']],
  [80, ['oldest']],
  [79, ['oldest', 'middle']],
  [1, ['oldest', 'middle', 'newest']],
  [0, ['oldest', 'middle', 'newest']],
])('of 100 bytes with a limit of %i go the oldest, no more than needed: %j', (limit, gone) => {
  expect(beyond(limit)).toEqual(gone)
})

it('a limit that nobody set is one that nobody notices for a long time', () => {
  const checkpoints = {
    checkpointBytes: 1024 ** 3,
    checkpointMs: 30 * DAY,
    cassetteBytes: 256 * 1024 ** 2,
    cassetteMs: 30 * DAY,
  }
  const others = {
    recordingBytes: 4096 * 1024 ** 2,
    historyBytes: 1024 ** 3,
    eventLogBytes: Number.POSITIVE_INFINITY,
    rescueDays: 365,
  }
  expect(limitsOf({})).toEqual({ ...others, ...checkpoints })
  expect(limitsOf({ recordingsMb: 0, historiesMb: 1, eventLogsMb: 2, rescueDays: 2 })).toEqual({
    ...checkpoints,
    recordingBytes: 0,
    historyBytes: 1024 ** 2,
    eventLogBytes: 2 * 1024 ** 2,
    rescueDays: 2,
  })
})

it.each([
  ['what a branch has goes at once', { savedAt: 0, elsewhere: 'refs/heads/x' }, 0, 'refs/heads/x has it'],
  ['what may be the only copy stays', { savedAt: 0, elsewhere: null }, 7 * DAY, null],
  ['until it is older than a person said', { savedAt: 0, elsewhere: null }, 7 * DAY + 1, 'it is older than 7 days'],
  ['a clock that was set back drops nothing', { savedAt: 30 * DAY, elsewhere: null }, 0, null],
])('%s', (_what, rescue, now, why) => {
  expect(whyRescueGoes(rescue, now, 7)).toBe(why)
})
