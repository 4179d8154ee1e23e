import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createAudience } from './audience.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

function open() {
  const life: string[] = []
  const audience = createAudience(() => {
    life.push('runs')
    return { close: () => life.push('ends') }
  })
  return { life, audience }
}

it('runs while somebody is there, and a while longer', () => {
  const { life, audience } = open()
  expect(audience.isThere()).toBe(false)
  const first = audience.join(() => undefined)
  const second = audience.join(() => undefined)
  first()
  vi.advanceTimersByTime(60_000)
  expect(life).toEqual(['runs'])
  second()
  vi.advanceTimersByTime(10_000)
  expect(audience.isThere()).toBe(true)
  const third = audience.join(() => undefined)
  vi.advanceTimersByTime(60_000)
  expect(life).toEqual(['runs'])
  third()
  vi.advanceTimersByTime(60_000)
  expect(life).toEqual(['runs', 'ends'])
  audience.join(() => undefined)
  expect(life).toEqual(['runs', 'ends', 'runs'])
  audience.close()
  expect(life).toEqual(['runs', 'ends', 'runs', 'ends'])
})

it('begins anew only when it runs', () => {
  const { life, audience } = open()
  audience.restart()
  expect(life).toEqual([])
  audience.join(() => undefined)
  audience.restart()
  expect(life).toEqual(['runs', 'ends', 'runs'])
})

it('wakes all who are there', () => {
  const { audience } = open()
  const woken: string[] = []
  const leave = audience.join(() => woken.push('one'))
  audience.join(() => woken.push('two'))
  audience.wake()
  leave()
  audience.wake()
  expect(woken).toEqual(['one', 'two', 'two'])
  audience.close()
})
