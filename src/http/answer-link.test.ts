import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { LINKED_DECISIONS, type LinkedAnswer, readSigned, signAnswer } from './answer-link.ts'

const answers: fc.Arbitrary<LinkedAnswer> = fc.record({
  sessionId: fc.string(),
  requestId: fc.string({ unit: 'grapheme' }),
  askedAt: fc.string(),
  decision: fc.constantFrom(...LINKED_DECISIONS),
  until: fc.nat(),
})

describe('a link that answers', () => {
  it('is read as it was signed, and needs no escaping in an address', () => {
    fc.assert(
      fc.property(fc.string(), answers, (key, answer) => {
        const signed = signAnswer(key, answer)
        expect(signed).toMatch(/^[\w.-]+$/)
        expect(readSigned(key, signed)).toEqual(answer)
      }),
    )
  })

  it('is worth nothing with another key, or when one character of it was changed', () => {
    fc.assert(
      fc.property(answers, fc.nat(), fc.constantFrom('a', 'B', '.', '-', ''), (answer, at, other) => {
        const signed = signAnswer('key', answer)
        const index = at % signed.length
        const changed = signed.slice(0, index) + other + signed.slice(index + 1)
        if (changed !== signed) expect(readSigned('key', changed)).toBeNull()
        expect(readSigned('another', signed)).toBeNull()
      }),
    )
  })

  it.each(['', '.', '..', 'e30.', 'x'.repeat(10_000)])('refuses %j', (text) => {
    expect(readSigned('key', text)).toBeNull()
  })
})
