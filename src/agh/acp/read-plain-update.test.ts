import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readPlainUpdate } from './read-plain-update.ts'

const line = (sessionId: string, update: unknown, rest: object = {}) =>
  JSON.stringify({ jsonrpc: '2.0', method: 'session/update', params: { sessionId, update, ...rest } })

describe('the short way for updates', () => {
  it('gives what reading the whole line gives, or leaves it to that', () => {
    fc.assert(
      fc.property(fc.string(), fc.dictionary(fc.string(), fc.jsonValue()), (sessionId, update) => {
        const text = line(sessionId, update)
        const plain = readPlainUpdate(text)
        // An id that JSON has to escape takes the long way.
        if (!plain) expect(JSON.stringify(sessionId)).toContain('\\')
        else
          expect(plain).toEqual({
            update: JSON.parse(text).params.update,
            json: JSON.stringify(update),
            acpSessionId: sessionId,
          })
      }),
    )
  })

  it.each([
    ['what follows the update', line('s', { a: 1 }, { _meta: { b: {} } })],
    ['an update that is no object', line('s', [1])],
    ['another method', line('s', {}).replace('update', 'other')],
    ['another order', '{"method":"session/update","jsonrpc":"2.0","params":{"sessionId":"s","update":{}}}'],
    ['a line that is cut off', line('s', { text: 'abc' }).slice(0, -3)],
    ['a carriage return between tokens', line('s', { a: 1 }).replace('{"a"', '{\r"a"')],
    ['no message', 'Welcome!'],
  ])('leaves %s to the long way', (_what, text) => {
    expect(readPlainUpdate(text)).toBe(null)
  })
})
