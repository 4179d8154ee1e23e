import { describe, expect, it } from 'vitest'
import { formatAge, formatCost, formatCount, formatDate, formatTime, withLocalTimes } from './format.ts'
import { isWebAddress } from './safe-link.tsx'

describe('formatAge', () => {
  it.each([
    [-5_000, 'now'],
    [9_000, 'now'],
    [59_000, '59s'],
    [60_000, '1m'],
    [3_599_000, '59m'],
    [3_600_000, '1h'],
    [5_400_000, '1h 30m'],
    [36_000_000, '10h'],
    [86_400_000, '1d'],
  ])('%i ms is %s', (ms, wording) => {
    expect(formatAge(ms)).toBe(wording)
  })
})

it.each([
  [null, '–'],
  [0, '$0.00'],
  [0.004, '<$0.01'],
  [12.345, '$12.35'],
])('a cost of %j is %s', (usd, wording) => {
  expect(formatCost(usd)).toBe(wording)
})

it.each([
  [999, '999'],
  [1_200, '1.2k'],
  [84_000, '84k'],
  [5_200_000, '5.2M'],
])('%i is %s', (count, wording) => {
  expect(formatCount(count)).toBe(wording)
})

describe('isWebAddress', () => {
  it.each([
    ['https://example.com/x', true],
    ['HTTP://example.com', true],
    ['javascript:alert(1)', false],
    [' javascript:alert(1)', false],
    ['data:text/html,x', false],
    ['file:///etc/passwd', false],
    ['//example.com', false],
    ['https://', false],
    ['', false],
  ])('%j: %s', (text, expected) => {
    expect(isWebAddress(text)).toBe(expected)
  })
})

describe('withLocalTimes', () => {
  const now = new Date(2026, 10, 18, 12)
  it('says a time of today as a clock does, another day with its date, and leaves the rest alone', () => {
    const today = new Date(2026, 10, 18, 9, 5).toISOString()
    const before = new Date(2026, 10, 16, 9, 5)
    expect(withLocalTimes(`Paused since ${today} by sam`, now)).toBe(`Paused since ${formatTime(today)} by sam`)
    expect(withLocalTimes(`since ${before.toISOString()}, until later`, now)).toBe(
      `since ${formatDate(before)}, ${formatTime(before)}, until later`,
    )
    expect(withLocalTimes('2026-99-99T99:99:99Z and 2026-11-18', now)).toBe('2026-99-99T99:99:99Z and 2026-11-18')
  })
})
