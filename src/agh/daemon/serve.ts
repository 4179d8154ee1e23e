// The daemon's two doors, the Unix socket and loopback TCP, with the same routes behind both.
import { chmodSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { AoError } from '../../contract/errors.ts'
import type { AghContext } from '../session/context.ts'
import { checkTcpAccess } from './check-access.ts'
import { sendError, sendJson } from './exchange.ts'
import { HISTORY_ROUTES, OTHER_ROUTES, type Route, SESSION_ROUTES } from './routes.ts'

export interface Doors {
  port: number
  /** Takes no new requests and cuts what still streams. */
  close(): Promise<void>
}

export async function openDoors(context: AghContext, status: () => Promise<object>): Promise<Doors> {
  const statusRoute: Route = { method: 'GET', path: '/api/daemon/status', handle: status }
  const routes = compile([statusRoute, ...SESSION_ROUTES, ...HISTORY_ROUTES, ...OTHER_ROUTES])
  const bySocket = createServer((request, response) => void answer(context, routes, request, response))
  const byTcp = createServer((request, response) => {
    try {
      checkTcpAccess(request, (byTcp.address() as AddressInfo).port)
    } catch (error) {
      return sendError(response, error)
    }
    void answer(context, routes, request, response)
  })
  const { host, port } = context.config.http
  try {
    await listen(byTcp, { host, port })
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

interface CompiledRoute extends Route {
  pattern: RegExp
}

function compile(routes: readonly Route[]): CompiledRoute[] {
  return routes.map((route) => ({ ...route, pattern: new RegExp(`^${route.path.replace(':id', '([^/]+)')}$`) }))
}

async function answer(
  context: AghContext,
  routes: CompiledRoute[],
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    const url = new URL(request.url ?? '/', 'http://localhost')
    const fitting = routes.filter(({ pattern }) => pattern.test(url.pathname))
    const route = fitting.find(({ method }) => method === request.method)
    if (!route) throw new AoError('USAGE', `There is no ${request.method} ${url.pathname}`, { hint: 'See docs/agh.md' })
    const id = decodeURIComponent(route.pattern.exec(url.pathname)?.[1] ?? '')
    const result = await route.handle({ context, request, response, id, query: url.searchParams })
    if (result !== undefined) sendJson(response, 200, result)
  } catch (error) {
    if (!(error instanceof AoError))
      context.log.error(`${request.method} ${request.url}: ${error instanceof Error ? error.stack : error}`)
    if (response.headersSent) response.destroy()
    else sendError(response, error)
  }
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
