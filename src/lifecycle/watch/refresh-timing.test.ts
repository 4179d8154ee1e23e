import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createRefreshTiming } from './refresh-timing.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

it('is due at first, and again two seconds after it was begun', () => {
  const timing = createRefreshTiming(() => undefined)
  expect(timing.isDue()).toBe(true)
  timing.begin()
  vi.advanceTimersByTime(1_999)
  expect(timing.isDue()).toBe(false)
  vi.advanceTimersByTime(1)
  expect(timing.isDue()).toBe(true)
})

it('triggers what changed in between once more, once each, as soon as it is due', () => {
  const triggered: string[] = []
  const timing = createRefreshTiming((id) => {
    expect(timing.isDue()).toBe(true)
    triggered.push(id)
  })
  timing.begin()
  vi.advanceTimersByTime(500)
  timing.later(['app-1', 'app-2'])
  timing.later(['app-1'])
  vi.advanceTimersByTime(1_499)
  expect(triggered).toEqual([])
  vi.advanceTimersByTime(1)
  expect(triggered).toEqual(['app-1', 'app-2'])
  vi.advanceTimersByTime(60_000)
  expect(triggered).toHaveLength(2)
})

it('is silent without a change, and after it was closed', () => {
  const triggered: string[] = []
  const timing = createRefreshTiming((id) => void triggered.push(id))
  timing.begin()
  timing.later([])
  vi.advanceTimersByTime(60_000)
  timing.begin()
  timing.later(['app-1'])
  timing.close()
  vi.advanceTimersByTime(60_000)
  expect(triggered).toEqual([])
})

it('is due several times a second for an agent that was just started, also when an older one waits already', () => {
  const triggered: string[] = []
  const timing = createRefreshTiming((id) => void triggered.push(id))
  timing.begin()
  timing.later(['old-1'])
  timing.later(['young-1'], true)
  vi.advanceTimersByTime(249)
  expect([timing.isDue(true), triggered]).toEqual([false, []])
  vi.advanceTimersByTime(1)
  expect([timing.isDue(true), timing.isDue(), triggered]).toEqual([true, false, ['old-1', 'young-1']])
})
