import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createSseParser } from './sse-parser.ts'

const STREAM =
  'retry: 1000\n\nid: e.1.0.0\nevent: board\ndata: {"a":1}\n\n: still here\n\nid: e.2.0.0\nevent: change\ndata: one\ndata: two\n\n'
const EVENTS = [
  { id: 'e.1.0.0', event: 'board', data: '{"a":1}' },
  { id: 'e.2.0.0', event: 'change', data: 'one\ntwo' },
]

describe('createSseParser', () => {
  it('gives the same events however the stream is cut', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: STREAM.length })), (cuts) => {
        const parser = createSseParser()
        const places = [0, ...cuts.sort((a, b) => a - b), STREAM.length]
        const pieces = places.slice(1).map((end, index) => STREAM.slice(places[index], end))
        expect(pieces.flatMap((piece) => parser.push(piece))).toEqual(EVENTS)
      }),
    )
  })

  it('keeps what has no end yet for later', () => {
    const parser = createSseParser()
    expect(parser.push('event: change\ndata: half')).toEqual([])
    expect(parser.push('\n\n')).toEqual([{ id: null, event: 'change', data: 'half' }])
  })

  it('takes the line ends of Windows, and no comment for an event', () => {
    expect(createSseParser().push('id: 1\r\ndata: x\r\n\r\n: hello\r\n\r\n')).toEqual([
      { id: '1', event: 'message', data: 'x' },
    ])
  })
})
