import { afterEach, expect, it, vi } from 'vitest'
import { localMinute, localTime } from './local-time.ts'

afterEach(() => vi.unstubAllEnvs())

it.each([
  ['UTC', '2026-11-30 23:05:09'],
  ['Europe/Berlin', '2026-12-01 00:05:09'],
  ['America/New_York', '2026-11-30 18:05:09'],
])('says a stored time as the clock on the wall in %s', (zone, shown) => {
  vi.stubEnv('TZ', zone)
  expect(localTime('2026-11-30T23:05:09.930Z')).toBe(shown)
  expect(localMinute('2026-11-30T23:05:09.930Z')).toBe(shown.slice(0, 16))
})

it('says of what is no time that it is unknown', () => {
  expect(localMinute('\u001b[2J')).toBe('at an unknown time')
})
