// A server on its address: a port that is taken is said clearly, and nothing of it hangs at the end.
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { AoError } from '../contract/errors.ts'

export interface Address {
  host: string
  /** 0: any that is free. */
  port: number
}

/** Resolves with the port it got. */
export function listen(server: Server, { host, port }: Address, hint: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const fail = (error: NodeJS.ErrnoException) => reject(cannotListen(error, { host, port }, hint))
    server.once('error', fail)
    server.listen({ host, port }, () => {
      server.off('error', fail)
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

function cannotListen(error: NodeJS.ErrnoException, { host, port }: Address, hint: string): AoError {
  const why = error.code === 'EADDRINUSE' ? 'another program listens there' : error.message
  return new AoError('PORT_TAKEN', `Port ${port} of ${host} cannot be used: ${why}`, {
    hint,
    details: { host, port },
    cause: error,
  })
}
