// A WebSocket as something to write to: the same text as server-sent events have, in text messages, at the reader's own pace.
import { Writable } from 'node:stream'
import type { WebSocket } from 'ws'

export function socketWriter(socket: WebSocket): Writable {
  const writer = new Writable({
    decodeStrings: false,
    write: (chunk: string | Buffer, _encoding, done) => socket.send(chunk, { binary: false }, done),
    final(done) {
      socket.close(1001, 'ao is stopping')
      done()
    },
    destroy(error, done) {
      socket.terminate()
      done(error)
    },
  })
  // Anything that could not be sent: the reader is gone, and `close` follows.
  writer.on('error', () => socket.terminate())
  // What a reader says is not read.
  socket.on('error', () => writer.destroy())
  socket.once('close', () => writer.destroy())
  return writer
}
