import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { sha256Hex } from './sha256-hex.ts'

const reference = (text: string) => createHash('sha256').update(text).digest('hex')

it.each(['', 'abc', 'a'.repeat(55), 'a'.repeat(56), 'a'.repeat(63), 'a'.repeat(64), 'a'.repeat(1000), '/home/é/日本'])(
  'hashes %j as node:crypto does',
  (text) => {
    expect(sha256Hex(text)).toBe(reference(text))
  },
)

it('hashes any text as node:crypto does', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
      // Half of a surrogate pair is not text; both sides replace it in the same way.
      expect(sha256Hex(text)).toBe(reference(text.toWellFormed()))
    }),
  )
})
