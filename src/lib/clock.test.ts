import { getEventListeners } from 'node:events'
import { expect, it } from 'vitest'
import { sleep } from './clock.ts'

const FOREVER_MS = 2 ** 31 - 1

it('sleeps for the given time', async () => {
  const began = performance.now()
  await sleep(20)
  expect(performance.now() - began).toBeGreaterThanOrEqual(19)
})

it('ends without an error when its signal is aborted, before or meanwhile', async () => {
  await sleep(FOREVER_MS, { signal: AbortSignal.abort() })
  const stop = new AbortController()
  const sleeping = sleep(FOREVER_MS, { signal: stop.signal })
  stop.abort()
  await sleeping
})

it('leaves no listener behind on a signal that outlives it', async () => {
  const { signal } = new AbortController()
  for (let round = 0; round < 20; round += 1) await sleep(0, { signal })
  expect(getEventListeners(signal, 'abort')).toEqual([])
})

it('keeps the process running only when asked to', () => {
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
  const before = timers()
  const stop = new AbortController()
  void sleep(FOREVER_MS, { signal: stop.signal, ref: false })
  expect(timers()).toBe(before)
  void sleep(FOREVER_MS, { signal: stop.signal })
  expect(timers()).toBe(before + 1)
  stop.abort()
  expect(timers()).toBe(before)
})
