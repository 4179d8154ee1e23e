import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  decodeClientFrame,
  decodeData,
  decodeServerFrame,
  encodeControl,
  encodeData,
  MAX_TERMINAL_ID,
  MAX_TERMINAL_SIZE,
  MIN_TERMINAL_SIZE,
  type TerminalClientFrame,
  type TerminalServerFrame,
} from './terminal-frames.ts'

const terminalId = fc.integer({ min: 0, max: MAX_TERMINAL_ID })
const cols = fc.integer({ min: MIN_TERMINAL_SIZE.cols, max: MAX_TERMINAL_SIZE.cols })
const rows = fc.integer({ min: MIN_TERMINAL_SIZE.rows, max: MAX_TERMINAL_SIZE.rows })

const clientFrame: fc.Arbitrary<TerminalClientFrame> = fc.oneof(
  fc.record({
    type: fc.constant('open' as const),
    terminalId,
    ticket: fc.string({ unit: 'binary', maxLength: 200 }),
    cols,
    rows,
  }),
  fc.record({ type: fc.constant('resize' as const), terminalId, cols, rows }),
  fc.record({ type: fc.constant('ack' as const), terminalId, bytes: fc.maxSafeNat() }),
  fc.record({ type: fc.constant('close' as const), terminalId }),
)

const serverFrame: fc.Arbitrary<TerminalServerFrame> = fc.oneof(
  fc.record({
    type: fc.constant('opened' as const),
    terminalId,
    mode: fc.constantFrom('read' as const, 'write' as const),
    cols,
    rows,
  }),
  fc.record({ type: fc.constant('size' as const), terminalId, cols, rows }),
  fc.record({ type: fc.constant('ended' as const), terminalId, why: fc.string({ unit: 'binary' }) }),
  fc.record({
    type: fc.constant('error' as const),
    terminalId: fc.option(terminalId),
    code: fc.constantFrom('bad-frame', 'bad-ticket', 'read-only', 'too-many', 'unavailable' as const),
    message: fc.string({ unit: 'binary' }),
    fatal: fc.boolean(),
  }),
)

describe('frames of the terminals', () => {
  it('reads every frame of a browser as it was written', () => {
    fc.assert(
      fc.property(clientFrame, (frame) => {
        expect(decodeClientFrame(encodeControl(frame))).toEqual(frame)
      }),
    )
  })

  it('reads every frame of the server as it was written', () => {
    fc.assert(
      fc.property(serverFrame, (frame) => {
        expect(decodeServerFrame(encodeControl(frame))).toEqual(frame)
      }),
    )
  })

  it('reads bytes back from their offset, whatever they are and wherever the frame begins', () => {
    fc.assert(
      fc.property(terminalId, fc.uint8Array({ maxLength: 300 }), fc.nat(5), (id, bytes, offset) => {
        const frame = encodeData(id, bytes)
        const moved = new Uint8Array(offset + frame.length)
        moved.set(frame, offset)
        expect(decodeData(moved.subarray(offset))).toEqual({ terminalId: id, bytes })
      }),
    )
  })

  it('never throws for text that is not a frame, and never takes one that is out of bounds', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.json()), (text) => {
        const read = decodeClientFrame(text) ?? decodeServerFrame(text)
        if (read) expect(['open', 'resize', 'ack', 'close', 'opened', 'size', 'ended', 'error']).toContain(read.type)
      }),
    )
  })

  it.each([
    ['an id that does not fit', { type: 'close', terminalId: MAX_TERMINAL_ID + 1 }],
    ['a negative id', { type: 'close', terminalId: -1 }],
    ['a broken id', { type: 'close', terminalId: 1.5 }],
    ['no id', { type: 'close' }],
    ['a size that nobody has', { type: 'resize', terminalId: 1, cols: 100_000, rows: 24 }],
    ['no rows', { type: 'resize', terminalId: 1, cols: 80 }],
    ['a negative acknowledgement', { type: 'ack', terminalId: 1, bytes: -1 }],
    ['a ticket that is no text', { type: 'open', terminalId: 1, ticket: 7, cols: 80, rows: 24 }],
    ['an endless ticket', { type: 'open', terminalId: 1, ticket: 'x'.repeat(1_000), cols: 80, rows: 24 }],
    ['an unknown word', { type: 'exec', terminalId: 1, cols: 80, rows: 24 }],
    ['a list', [1]],
    ['nothing', null],
  ])('refuses %s', (_, frame) => {
    expect(decodeClientFrame(JSON.stringify(frame))).toBeNull()
  })

  it('drops members that it does not know', () => {
    expect(decodeClientFrame('{"type":"close","terminalId":3,"sessionId":"app-1"}')).toEqual({
      type: 'close',
      terminalId: 3,
    })
  })

  it('has no reader for bytes without an id', () => {
    expect(decodeData(new Uint8Array([1]))).toBeNull()
  })
})
