import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createSilenceTiming } from './silence-timing.ts'

const POLL_MS = 30_000

beforeEach(() => void vi.useFakeTimers({ now: 1_000_000 }))
afterEach(() => void vi.useRealTimers())

function timing() {
  const triggered: string[] = []
  const silence = createSilenceTiming((id) => void triggered.push(id), { now: Date.now, pollMs: POLL_MS })
  return { silence, triggered }
}

it('reports a session at the moment its silence changes something, once', () => {
  const { silence, triggered } = timing()
  silence.set('app-1', Date.now() + 8_000)
  vi.advanceTimersByTime(7_999)
  expect(triggered).toEqual([])
  vi.advanceTimersByTime(1)
  expect(triggered).toEqual(['app-1'])
  vi.advanceTimersByTime(POLL_MS)
  expect(triggered).toHaveLength(1)
})

it('starts over when the session was active in between, and forgets it when only an event can change it', () => {
  const { silence, triggered } = timing()
  silence.set('app-1', Date.now() + 8_000)
  silence.set('app-2', Date.now() + 8_000)
  vi.advanceTimersByTime(5_000)
  silence.set('app-1', Date.now() + 8_000)
  silence.set('app-2', null)
  vi.advanceTimersByTime(7_999)
  expect(triggered).toEqual([])
  vi.advanceTimersByTime(1)
  expect(triggered).toEqual(['app-1'])
})

it('leaves what is further ahead to the next poll, however far', () => {
  const { silence, triggered } = timing()
  silence.set('app-1', Date.now() + POLL_MS)
  silence.set('app-2', Number.MAX_SAFE_INTEGER)
  vi.advanceTimersByTime(2 * POLL_MS)
  expect(triggered).toEqual([])
})

it('is silent after it was closed', () => {
  const { silence, triggered } = timing()
  silence.set('app-1', Date.now() + 1_000)
  silence.close()
  vi.advanceTimersByTime(POLL_MS)
  expect(triggered).toEqual([])
})
