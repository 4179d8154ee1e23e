// Home connects to a server of a model for an agent whose place has no network. Which servers is home's own list.
import { createConnection } from 'node:net'
import { allowedTarget } from '../../../core/place/model-hosts.ts'
import type { WantedConnection } from '../far-contract.ts'
import type { Far } from '../reach/far.ts'
import { joinStreams } from '../wire.ts'

const CONNECT_MS = 20_000

/** Of one session at a time. */
const MOST_OPEN = 64

export interface ModelConnections {
  allowed: readonly string[]
  /** How many are open now. */
  open: number
}

export function connectModel(far: Far, { id, target }: WantedConnection, connections: ModelConnections): void {
  if (!/^[\w-]{1,64}$/.test(id)) return
  const refuse = (why: string) => {
    const stream = far.stream('POST /connection', { query: { id, refused: why } })
    stream.end()
    stream.resume()
  }
  const server = allowedTarget(target, connections.allowed)
  if (server === null) return void refuse(`${target.slice(0, 200)} is not a server of a model (network: model-only)`)
  if (connections.open >= MOST_OPEN) return void refuse(`${MOST_OPEN} connections of this session are open already`)
  const socket = createConnection({ ...server, timeout: CONNECT_MS })
  connections.open += 1
  socket.once('close', () => {
    connections.open -= 1
  })
  socket.once('timeout', () => socket.destroy(new Error('no answer in time')))
  socket.once('error', (error) => refuse(`${server.host} cannot be reached from home: ${error.message}`))
  socket.once('connect', () => {
    socket.setTimeout(0)
    socket.removeAllListeners('error')
    joinStreams(socket, far.stream('POST /connection', { query: { id } }))
  })
}
