import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createKeyReader, type Key } from './terminal-keys.ts'

describe('createKeyReader', () => {
  it.each<[string, Key[]]>([
    ['hi', [{ type: 'text', text: 'hi' }]],
    ['hi\r', [{ type: 'text', text: 'hi' }, { type: 'enter' }]],
    ['\r\n', [{ type: 'enter' }]],
    ['\x03\x04\x15\x7f', [{ type: 'interrupt' }, { type: 'end' }, { type: 'clear' }, { type: 'backspace' }]],
    ['\x1b[A\x1b[1;5Cx', [{ type: 'text', text: 'x' }]],
    ['\x1byes', [{ type: 'text', text: 'yes' }]],
    ['\x1b[200~one\rtwo\r\nthree\x1b[201~\r', [{ type: 'paste', text: 'one\ntwo\nthree' }, { type: 'enter' }]],
    ['\x1b\x1b[200~after escape\x1b[201~', [{ type: 'paste', text: 'after escape' }]],
    ['\x1b[200~\x03 stays text\x1b[201~', [{ type: 'paste', text: '\x03 stays text' }]],
  ])('reads %j', (bytes, keys) => {
    expect(createKeyReader().feed(Buffer.from(bytes))).toEqual(keys)
  })

  it('keeps a pasted message whole wherever the terminal cuts the stream', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme' }),
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }),
        (text, sizes) => {
          const message = text.replaceAll('\x1b', '').replace(/\r\n?/g, '\n')
          const bytes = Buffer.from(`\x1b[200~${message}\x1b[201~\r`)
          const reader = createKeyReader()
          const keys: Key[] = []
          for (let at = 0, turn = 0; at < bytes.length; turn++) {
            const size = sizes[turn % sizes.length]!
            keys.push(...reader.feed(bytes.subarray(at, at + size)))
            at += size
          }
          expect(keys).toEqual([{ type: 'paste', text: message }, { type: 'enter' }])
        },
      ),
    )
  })

  it('does not wait forever for the end of a broken sequence', () => {
    const keys = createKeyReader().feed(Buffer.from(`\x1b[${'1'.repeat(100)}`))
    expect(keys.length).toBeGreaterThan(0)
  })
})
