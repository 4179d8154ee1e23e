import { describe, expect, it } from 'vitest'
import { createFrameReader, encodeFrame, type HostFrame } from './protocol.ts'

const FRAMES: Array<[HostFrame, string]> = [
  [{ op: 'out', at: 0 }, 'a line\n{"op":"exit"}\nand half of ano'],
  [{ op: 'took', n: 7, ok: true }, ''],
  [{ op: 'out', at: 33 }, 'ther\n\u0000 ünï'],
  [{ op: 'exit', code: null, signal: 'SIGKILL' }, ''],
]
const WIRE = Buffer.concat(
  FRAMES.map(([frame, text]) => encodeFrame(frame, text === '' ? undefined : Buffer.from(text))),
)

function read(chunks: Buffer[]): Array<[HostFrame, string]> {
  const seen: Array<[HostFrame, string]> = []
  const feed = createFrameReader<HostFrame>((frame, payload) => {
    const { bytes: _, ...rest } = frame as HostFrame & { bytes?: number }
    seen.push([rest as HostFrame, payload.toString()])
  })
  for (const chunk of chunks) feed(chunk)
  return seen
}

describe('the frames of an agent host', () => {
  it('are the same wherever the stream is cut', () => {
    for (let cut = 0; cut <= WIRE.length; cut++) {
      expect(read([WIRE.subarray(0, cut), WIRE.subarray(cut)])).toEqual(FRAMES)
    }
    expect(read([...WIRE].map((byte) => Buffer.from([byte])))).toEqual(FRAMES)
  })

  it('are delivered whole or not at all', () => {
    const whole = FRAMES.map(([frame, text]) => encodeFrame(frame, text === '' ? undefined : Buffer.from(text)).length)
    const ends = whole.map((_, index) => whole.slice(0, index + 1).reduce((a, b) => a + b, 0))
    for (let cut = 0; cut <= WIRE.length; cut++) {
      expect(read([WIRE.subarray(0, cut)])).toEqual(FRAMES.slice(0, ends.filter((end) => end <= cut).length))
    }
  })

  it.each([
    ['no JSON', 'hello\n'],
    ['no operation', '{"bytes":3}\nabc'],
    ['a negative length', '{"op":"out","bytes":-1}\n'],
    ['an absurd length', '{"op":"out","bytes":1e12}\n'],
    ['a header without an end', 'x'.repeat(70_000)],
  ])('refuses %s', (_what, text) => {
    expect(() => read([Buffer.from(text)])).toThrow()
  })
})
