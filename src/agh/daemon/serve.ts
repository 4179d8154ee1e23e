// The daemon's two doors, the Unix socket and loopback TCP, with the same routes behind both; those for drivers are
// behind the socket only.
import { chmodSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { DaemonStatus } from '../../contract/agh/answers.ts'
import { AoError } from '../../contract/errors.ts'
import { admitConnection, limitConnections } from '../../http/connection-places.ts'
import { sendError } from '../../http/exchange.ts'
import { createRouter } from '../../http/route-table.ts'
import type { AghContext } from '../session/context.ts'
import { checkTcpAccess } from './check-access.ts'
import { DRIVER_ROUTES } from './routes/driver-routes.ts'
import { allRoutes } from './routes/routes.ts'

export interface Doors {
  port: number
  /** Takes no new requests and cuts what still streams. */
  close(): Promise<void>
}

export async function openDoors(context: AghContext, status: () => Promise<DaemonStatus>): Promise<Doors> {
  const settings = { log: context.log, docs: 'docs/agh.md' }
  const routes = allRoutes(status)
  const router = createRouter(routes, settings)
  const socketRouter = createRouter([...routes, ...DRIVER_ROUTES], settings)
  const bySocket = createServer((request, response) => {
    admitConnection(request)
    void socketRouter.answer(context, request, response)
  })
  const byTcp = createServer((request, response) => {
    try {
      checkTcpAccess(request, (byTcp.address() as AddressInfo).port)
      admitConnection(request)
    } catch (error) {
      return sendError(response, error)
    }
    void router.answer(context, request, response)
  })
  for (const server of [bySocket, byTcp]) limitConnections(server)
  const { host, port } = context.config.http
  try {
    await listen(byTcp, { host, port }).catch((error) => {
      throw portTaken(error, port, context.paths.config)
    })
    // The daemon's lock is ours, so a socket file that is there belongs to nobody.
    rmSync(context.paths.socket, { force: true })
    await listen(bySocket, { path: context.paths.socket })
    chmodSync(context.paths.socket, 0o600)
  } catch (error) {
    byTcp.close()
    throw error
  }
  return {
    port: (byTcp.address() as AddressInfo).port,
    async close() {
      await Promise.all([closeServer(bySocket), closeServer(byTcp)])
      rmSync(context.paths.socket, { force: true })
    },
  }
}

function portTaken(error: NodeJS.ErrnoException, port: number, file: string): Error {
  if (error.code !== 'EADDRINUSE') return error
  return new AoError('PORT_TAKEN', `Port ${port} is taken by another program, perhaps agh of another AGH_HOME`, {
    hint: `Choose another with [http] port in ${file}; 0 takes any free one`,
    cause: error,
  })
}

function listen(server: Server, where: { host?: string; port?: number; path?: string }): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(where, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}
