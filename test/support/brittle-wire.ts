// A connection within this process that breaks at any byte.
import { Duplex } from 'node:stream'

/** A stream to the host that breaks after so many bytes of either direction. */
export function brittleWire(bytesLeft: number, accept: (stream: Duplex) => void): Duplex {
  let left = bytesLeft
  const ends: Duplex[] = []
  const make = (other: () => Duplex): Duplex =>
    new Duplex({
      read: () => undefined,
      write(chunk: Buffer, _encoding, done) {
        const part = chunk.subarray(0, Math.max(0, left))
        left -= chunk.length
        if (part.length > 0 && !other().destroyed) other().push(part)
        if (left < 0) setImmediate(() => ends.forEach((end) => void end.destroy()))
        done()
      },
      final(done) {
        other().push(null)
        done()
      },
    })
  ends.push(
    make(() => ends[1]!),
    make(() => ends[0]!),
  )
  accept(ends[1]!)
  return ends[0]!
}
