import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type ControlEvent, createControlReader, unescapeOctal } from './control-lines.ts'

/** The same bytes in one piece or cut anywhere must say the same. */
function read(text: string | Buffer, cuts: number[] = []): ControlEvent[] {
  const events: ControlEvent[] = []
  const take = createControlReader((event) => events.push(event))
  const bytes = Buffer.from(text as string)
  let start = 0
  for (const cut of [...cuts.map((one) => one % (bytes.length + 1)).toSorted((a, b) => a - b), bytes.length]) {
    take(bytes.subarray(start, cut))
    start = cut
  }
  return events
}

/** As tmux does it. */
function escapeOctal(bytes: Uint8Array): Buffer {
  const parts = [...bytes].map((byte) =>
    byte < 32 || byte === 0x5c ? Buffer.from(`\\${byte.toString(8).padStart(3, '0')}`) : Buffer.from([byte]),
  )
  return Buffer.concat(parts)
}

describe('the words of a control client', () => {
  it('reads any output back as it was, wherever it is cut', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.array(fc.nat(1_000), { maxLength: 8 }), (bytes, cuts) => {
        const line = Buffer.concat([Buffer.from('%output %12 '), escapeOctal(bytes), Buffer.from('\n')])
        expect(read(line, cuts)).toEqual([{ kind: 'output', pane: '%12', bytes: Buffer.from(bytes) }])
      }),
    )
  })

  it('reads output that tmux had kept for a while', () => {
    expect(read('%extended-output %3 250 : a : b\\015\n')).toEqual([
      { kind: 'output', pane: '%3', bytes: Buffer.from('a : b\r') },
    ])
  })

  it('reads answers, and takes what an agent shows on its screen for no end of one', () => {
    const text =
      '%begin 17 5 1\n%end 17 4 1\n%output %1 x\n%end 17 5 11\nä\n%end 17 5 1\n%begin 17 6 1\nno\n%error 17 6 1\n'
    expect(read(text)).toEqual([
      { kind: 'reply', ok: true, text: '%end 17 4 1\n%output %1 x\n%end 17 5 11\nä\n' },
      { kind: 'reply', ok: false, text: 'no\n' },
    ])
  })

  it('leaves out answers to what others asked', () => {
    expect(read('%begin 1 1 0\nhello\n%end 1 1 0\n%sessions-changed\n%layout-change @1 b25f,80x24\n')).toEqual([
      { kind: 'notice', name: '%sessions-changed', rest: '' },
      { kind: 'notice', name: '%layout-change', rest: '@1 b25f,80x24' },
    ])
  })

  it('a backslash at the end of a line is one', () => {
    expect(unescapeOctal(Buffer.from('a\\'))).toEqual(Buffer.from('a\\'))
  })
})
