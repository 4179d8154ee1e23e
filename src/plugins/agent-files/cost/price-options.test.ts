import { describe, expect, it } from 'vitest'
import { AoError } from '../../../contract/errors.ts'
import { readPriceOptions } from './price-options.ts'

const row = { input: 1, output: 2, cacheRead: 0.1, cacheWrite: 1 }

describe('the option prices of an agent plugin', () => {
  it('is empty by default and takes rows', () => {
    expect(readPriceOptions('codex', {})).toEqual({})
    expect(readPriceOptions('codex', { prices: { mine: row } })).toEqual({ mine: row })
  })

  it.each([
    [{ price: {} }],
    [{ prices: { mine: { ...row, input: -1 } } }],
    [{ prices: { mine: { input: 1 } } }],
    [{ prices: { mine: { ...row, extra: 1 } } }],
    [{ prices: 'free' }],
  ])('refuses %j', (options) => {
    expect(() => readPriceOptions('codex', options)).toThrow(AoError)
    expect(() => readPriceOptions('codex', options)).toThrow(/codex/)
  })
})
