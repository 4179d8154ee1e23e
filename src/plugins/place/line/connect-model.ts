// Home connects to a server of a model for an agent whose place has no network. Which servers is home's own list.
import { createConnection } from 'node:net'
import { allowedTarget } from '../../../core/place/model-hosts.ts'
import type { WantedConnection } from '../far-contract.ts'
import type { Far } from '../reach/far.ts'
import { joinStreams } from '../wire.ts'

const CONNECT_MS = 20_000

export function connectModel(far: Far, { id, target }: WantedConnection, allowed: readonly string[]): void {
  if (!/^[\w-]{1,64}$/.test(id)) return
  const refuse = (why: string) => {
    const stream = far.stream('POST /connection', { query: { id, refused: why } })
    stream.end()
    stream.resume()
  }
  const known = allowedTarget(target, allowed)
  if (known === null) {
    refuse(`${target.slice(0, 200)} is not a server of a model (network: model-only)`)
    return
  }
  const socket = createConnection({ ...known, timeout: CONNECT_MS })
  socket.once('timeout', () => socket.destroy(new Error('no answer in time')))
  socket.once('error', (error) => refuse(`${known.host} cannot be reached from home: ${error.message}`))
  socket.once('connect', () => {
    socket.setTimeout(0)
    socket.removeAllListeners('error')
    joinStreams(socket, far.stream('POST /connection', { query: { id } }))
  })
}
