import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { leaveUnused } from './leave-unused.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function host(isUnused: () => boolean) {
  const leave = vi.fn()
  const heard = leaveUnused({ isUnused, leave, now: () => Date.now() })
  return { leave, heard }
}

it('ends when its creator died', () => {
  const { leave } = host(() => true)
  vi.advanceTimersByTime(110_000)
  expect(leave).not.toHaveBeenCalled()
  vi.advanceTimersByTime(20_000)
  expect(leave).toHaveBeenCalled()
})

it('stays for as long as home is heard of, however long the preparation takes', () => {
  const { leave, heard } = host(() => true)
  for (let minute = 0; minute < 30; minute++) {
    vi.advanceTimersByTime(60_000)
    heard()
  }
  expect(leave).not.toHaveBeenCalled()
  vi.advanceTimersByTime(130_000)
  expect(leave).toHaveBeenCalled()
})

it('stays with its agent, whether home is heard of or not', () => {
  const { leave } = host(() => false)
  vi.advanceTimersByTime(3_600_000)
  expect(leave).not.toHaveBeenCalled()
})
