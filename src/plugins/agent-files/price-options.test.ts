import { describe, expect, it } from 'vitest'
import { priceOptions } from './price-options.ts'

const row = { input: 1, output: 2, cacheRead: 0.1, cacheWrite: 1 }

describe('the option prices of an agent plugin', () => {
  it('is empty by default and takes rows', () => {
    expect(priceOptions.parse({})).toEqual({})
    expect(priceOptions.parse({ prices: { mine: row } })).toEqual({ prices: { mine: row } })
  })

  it.each([
    [{ price: {} }],
    [{ prices: { mine: { ...row, input: -1 } } }],
    [{ prices: { mine: { input: 1 } } }],
    [{ prices: { mine: { ...row, extra: 1 } } }],
    [{ prices: 'free' }],
  ])('refuses %j', (options) => {
    expect(priceOptions.safeParse(options).success).toBe(false)
  })
})
