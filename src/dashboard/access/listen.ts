// A server on its address, and its shutdown: nothing of it hangs.
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Address {
  host: string
  /** 0: any free port. */
  port: number
}

/** Resolves with the port it got. */
export function listen(server: Server, { host, port }: Address): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host, port }, () => {
      server.off('error', reject)
      resolve((server.address() as AddressInfo).port)
    })
  })
}

export function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}
