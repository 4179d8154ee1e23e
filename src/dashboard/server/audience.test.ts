import { expect, it } from 'vitest'
import { waitFor } from '../../../test/support/wait-for.ts'
import { createAudience } from './audience.ts'

function open(lingerMs?: number) {
  const life: string[] = []
  const run = () => {
    life.push('runs')
    return { close: () => life.push('ends') }
  }
  return { life, audience: createAudience(run, lingerMs) }
}

it('runs from the first to a while after the last', async () => {
  const { life, audience } = open(5)
  expect(audience.isThere()).toBe(false)
  const first = audience.join(() => undefined)
  const second = audience.join(() => undefined)
  first()
  second()
  expect(audience.isThere()).toBe(true)
  await waitFor('its end', () => !audience.isThere())
  audience.join(() => undefined)
  expect(life).toEqual(['runs', 'ends', 'runs'])
  audience.close()
  expect(life).toEqual(['runs', 'ends', 'runs', 'ends'])
})

it('continues for somebody who comes back soon', () => {
  const { life, audience } = open()
  audience.join(() => undefined)()
  audience.join(() => undefined)()
  audience.join(() => undefined)
  expect(life).toEqual(['runs'])
  audience.close()
})

it('begins anew only when it runs', () => {
  const { life, audience } = open()
  audience.restart()
  expect(life).toEqual([])
  audience.join(() => undefined)
  audience.restart()
  expect(life).toEqual(['runs', 'ends', 'runs'])
  audience.close()
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
