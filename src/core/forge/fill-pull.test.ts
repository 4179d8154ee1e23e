import { expect, it } from 'vitest'
import { isReset, readLimitReset } from '../budget/limit-reset.ts'
import { describeMark } from '../witness/describe-mark.ts'
import { fillPull } from './fill-pull.ts'

const one = { subject: 'Fix it', body: 'Why\nHow' }
const two = { subject: 'Test it', body: '' }

it.each<[Parameters<typeof fillPull>[0], Parameters<typeof fillPull>[2], object | null]>([
  [[], 'fill', null],
  [[one], 'fill', { title: 'Fix it', body: 'Why\nHow' }],
  [[one, two], 'fill', { title: 'feat/blue button', body: '- Fix it\n- Test it' }],
  [[one, two], 'fill-first', { title: 'Fix it', body: 'Why\nHow' }],
  [[one, two], 'fill-verbose', { title: 'feat/blue button', body: '- **Fix it**\n  Why\n  How\n- **Test it**' }],
  [[one], 'fill-verbose', { title: 'Fix it', body: '- **Fix it**\n  Why\n  How' }],
])('commits %j make, with --%s, %j', (commits, how, filled) => {
  expect(fillPull(commits, 'feat/blue_button', how)).toEqual(filled)
})

it('a mark is one line about lines', () => {
  const mark = { path: 'a.ts', line: 3, text: 'never ran' } as never
  const line = (more: object) => describeMark({ ...(mark as object), ...more } as never)
  expect(line({})).toBe('a.ts:3 never ran')
  expect(line({ to: 3 })).toBe('a.ts:3 never ran')
  expect(line({ to: 5, isOld: true })).toBe('a.ts:3-5 (before) never ran')
})

it('a limit is reset a little later than it says, and not at once', () => {
  expect([119_999, 120_000].map((now) => isReset(100_000, 0, now))).toEqual([false, true])
  expect([60_999, 61_000].map((now) => isReset(0, 1_000, now))).toEqual([false, true])
})

it('a limit counts from the moment of the error that names it', () => {
  const at = new Date('2026-01-01T10:00:00.000Z')
  const evidence = "You've hit your usage limit. Try again in 45 minutes."
  const read = (more: object) => readLimitReset({ state: 'blocked', evidence, timestamp: at, ...more }, () => 'UTC')
  expect(read({})).toBe(at.getTime() + 45 * 60_000)
  expect([read({ state: 'idle' }), read({ evidence: undefined }), read({ timestamp: null })]).toEqual([
    null,
    null,
    null,
  ])
  expect([read({ evidence: 'The disk is full. Try again in 45 minutes.' }), readLimitReset(null, () => 'UTC')]).toEqual(
    [null, null],
  )
})
