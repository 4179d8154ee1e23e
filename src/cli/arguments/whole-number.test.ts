import { expect, it } from 'vitest'
import { wholeNumber } from './whole-number.ts'

it.each([
  [undefined, undefined],
  ['0', 0],
  ['50', 50],
  ['007', 7],
])('reads %j as %j', (text, expected) => {
  expect(wholeNumber('--last', text)).toBe(expected)
})

it.each(['', ' ', '-1', '1.5', '1e3', '0x10', 'ten', '99999999999999999999'])('refuses %j', (text) => {
  expect(() => wholeNumber('--last', text)).toThrow(/^--last takes a whole number/)
})

it('names the range', () => {
  expect(() => wholeNumber('--limit', '0', { least: 1 })).toThrow('--limit takes a whole number from 1, not 0')
  expect(() => wholeNumber('--agents', '900', { least: 1, most: 500 })).toThrow(
    '--agents takes a whole number from 1 to 500, not 900',
  )
})
