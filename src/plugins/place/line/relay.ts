// The line's socket at home: whoever connects speaks with the host in the place, as with a host on this machine.
import { AsyncResource } from 'node:async_hooks'
import { createServer, type Server, type Socket } from 'node:net'
import { listenPrivately, refuse } from '../../../host/serve.ts'
import { sleep } from '../../../lib/clock.ts'
import type { Far } from '../reach/far.ts'
import { joinStreams } from '../wire.ts'

/** A line that is just being opened, or opened again. */
const WAIT_MS = 3_000

export interface Relay {
  far(): Far | null
  /** The agent speaks the protocol: its pipes are passed on, and this is called with what it says. */
  onOutput: ((chunk: Buffer) => void) | null
}

export function listenAtHome(socketPath: string, relay: Relay): Promise<Server> {
  return listenPrivately(
    socketPath,
    // A connection begins without the context of the line that it is for.
    createServer(AsyncResource.bind((socket: Socket) => void accept(socket, relay))),
  )
}

async function accept(socket: Socket, { far: current, onOutput }: Relay): Promise<void> {
  // A client may disappear at any moment; its socket closes and that is all.
  socket.on('error', () => socket.destroy())
  socket.pause()
  for (let waited = 0; current() === null && waited < WAIT_MS && !socket.destroyed; waited += 50) await sleep(50)
  const far = current()
  if (onOutput) relayPipes(socket, far, onOutput)
  else relayTerminal(socket, far)
}

function relayTerminal(socket: Socket, far: Far | null): void {
  if (far === null) {
    // Nothing was passed on, and the client learns exactly that.
    refuse(socket, 'the place cannot be reached now', true)
    return
  }
  const stream = far.stream('POST /terminal', {})
  stream.on('response', (headers) => {
    if (headers[':status'] === 200) return
    refuse(socket, 'its terminal is gone')
  })
  socket.pipe(stream)
  stream.pipe(socket)
  stream.on('close', () => socket.end())
  socket.on('close', () => stream.close())
}

/** Whoever reads them comes back with the place where it was, so a closed socket is answer enough. */
function relayPipes(socket: Socket, far: Far | null, onOutput: (chunk: Buffer) => void): void {
  if (far === null) return void socket.destroy()
  const stream = far.stream('POST /pipes', {})
  stream.on('response', (headers) => {
    if (headers[':status'] !== 200) return void socket.destroy()
    stream.on('data', onOutput)
    joinStreams(socket, stream)
  })
  stream.on('close', () => socket.destroy())
  socket.on('close', () => stream.close())
}
