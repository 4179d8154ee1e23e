// In a place without a network: a proxy for the agent whose connections are made by home, and only to servers of models.
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { joinStreams } from '../wire.ts'

export interface ModelProxy {
  port: number
  /** For the agent. */
  environment: Record<string, string>
  /** Home has connected, or has a reason not to. false: nobody is waiting for it any longer. */
  take(id: string, home: Duplex, refused: string | null): boolean
}

const MAX_WAITING = 256

/** `announce` passes on to home which connection the agent wants; false: home cannot hear it now. */
export async function startModelProxy(announce: (id: string, target: string) => boolean): Promise<ModelProxy> {
  const waiting = new Map<string, Socket>()
  const server = createServer((_request, response) => {
    response.writeHead(403, { 'content-type': 'text/plain' })
    response.end('This place reaches the servers of models only, and only through CONNECT.\n')
  })
  server.on('connect', (request, socket: Socket, head) => {
    socket.on('error', () => socket.destroy())
    const id = randomUUID()
    if (waiting.size >= MAX_WAITING || !announce(id, request.url ?? '')) {
      return void socket.end('HTTP/1.1 503 Service Unavailable\r\n\r\nHome cannot be reached now.\n')
    }
    if (head.length > 0) socket.unshift(head)
    waiting.set(id, socket)
    socket.on('close', () => waiting.delete(id))
  })
  server.on('clientError', (_error, socket) => socket.destroy())
  await new Promise<void>((resolve, reject) => {
    server.on('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  const address = `http://127.0.0.1:${port}`
  return {
    port,
    environment: { HTTPS_PROXY: address, https_proxy: address, HTTP_PROXY: address, http_proxy: address, ...NEAR },
    take(id, home, refused) {
      const socket = waiting.get(id)
      if (socket === undefined) return false
      waiting.delete(id)
      if (refused !== null) socket.end(`HTTP/1.1 403 Forbidden\r\n\r\n${refused}\n`)
      else {
        socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
        joinStreams(socket, home)
      }
      return true
    },
  }
}

const NEAR = { NO_PROXY: 'localhost,127.0.0.1,::1', no_proxy: 'localhost,127.0.0.1,::1' }
