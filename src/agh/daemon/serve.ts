// The daemon's two listeners, the Unix socket and loopback TCP, with the same routes behind both; driver routes are on the
// socket only.
import { chmodSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { DaemonStatus } from '../../contract/agh/answers.ts'
import { DAEMON_PROTOCOL, PROTOCOL_HEADER } from '../../contract/agh/protocol.ts'
import { daemonLeft } from '../../core/agh/daemon-left.ts'
import { readOrMakeToken } from '../../http/access-token.ts'
import { sendError } from '../../http/exchange.ts'
import { admitConnection, limitConnections } from '../../http/limit-connections.ts'
import { createRouter } from '../../http/route-table.ts'
import { sleep } from '../../lib/clock.ts'
import { withSocketPath } from '../../lib/process/socket-path.ts'
import { removeFile } from '../../lib/remove.ts'
import type { Repairs } from '../runtime.ts'
import type { AghContext } from '../session/context.ts'
import { admitRequest, TOKEN_HEADER } from './admit-request.ts'
import { createAghMetrics } from './agh-metrics.ts'
import { checkTcpAccess } from './check-access.ts'
import { DRIVER_ROUTES } from './routes/driver-routes.ts'
import { allRoutes } from './routes/routes.ts'

export interface Listeners {
  /** Of TCP; null when only the socket is open. */
  port: number | null
  /** Why TCP is not available. */
  problem: string | null
  /** Accepts no new requests, lets those in progress finish, and cuts off connections that take too long. */
  close(): Promise<void>
}

export interface ServedParts {
  status(): Promise<DaemonStatus>
  /** Of the sessions of the daemon before; until then, requests wait. */
  repairs: Promise<Repairs>
}

export async function openListeners(context: AghContext, { status, repairs }: ServedParts): Promise<Listeners> {
  const settings = { log: context.log, docs: 'docs/agh.md', admit: admitRequest }
  const metrics = await createAghMetrics(context)
  const routes = allRoutes({ status, metrics })
  const router = createRouter(routes, settings)
  const socketRouter = createRouter([...routes, ...DRIVER_ROUTES], settings)
  let isReady = false
  void repairs.then((one) => one.ready()).then(() => (isReady = true))
  const answer = async (by: typeof router, request: IncomingMessage, response: ServerResponse) => {
    if (!isReady) await untilReady(repairs, request)
    if (isLate(context, request)) return sendError(response, daemonLeft())
    await by.answer(context, request, response)
  }
  const bySocket = createServer((request, response) => {
    response.setHeader(PROTOCOL_HEADER, DAEMON_PROTOCOL)
    void answer(socketRouter, request, response)
  })
  const { httpToken: tokenFile } = context.paths
  const token = () => readOrMakeToken(tokenFile)
  // Linux says who is asking; elsewhere it must be there before the first request.
  if (process.platform !== 'linux') token()
  const byTcp = createServer((request, response) => {
    response.setHeader(PROTOCOL_HEADER, DAEMON_PROTOCOL)
    try {
      checkTcpAccess(request, { port: (byTcp.address() as AddressInfo).port, tokenFile, token })
      admitConnection(request)
    } catch (error) {
      return sendError(response, error)
    }
    void answer(router, request, response)
  })
  limitConnections(bySocket, { admitsEverybody: true })
  limitConnections(byTcp)
  const answering = trackAnswers(bySocket, byTcp)
  const problem = await listenTcp(byTcp, context)
  try {
    // We hold the daemon's lock, so an existing socket file is stale.
    removeFile(context.paths.socket)
    await withSocketPath(context.paths.socket, (path) => listen(bySocket, { path }))
    chmodSync(context.paths.socket, 0o600)
  } catch (error) {
    byTcp.close()
    throw error
  }
  return {
    port: problem === null ? (byTcp.address() as AddressInfo).port : null,
    problem,
    async close() {
      const closed = [bySocket, byTcp].map(stopListening)
      await answering.settled(LAST_OUTPUT_MS)
      for (const server of [bySocket, byTcp]) server.closeAllConnections()
      await Promise.all(closed)
      metrics.close()
      removeFile(context.paths.socket)
    },
  }
}

/**
 * A request needs the session that it names; all of them, if it names none, or comes from inside a session: who asks is known
 * by the sessions.
 */
async function untilReady(repairs: Promise<Repairs>, { url = '', headers }: IncomingMessage): Promise<void> {
  if (url === '/api/daemon/status') return
  const named = /^\/api\/(?:driver\/)?sessions\/([\w-]+)/.exec(url)?.[1]
  await (await repairs).ready(headers[TOKEN_HEADER] === undefined ? named : undefined)
}

/** The sessions belong to the next daemon: here they can only be read. */
function isLate({ leaving }: AghContext, { method }: IncomingMessage): boolean {
  return leaving.signal.aborted && method !== 'GET' && method !== 'HEAD'
}

/** How long readers may take to read the last events of a daemon that is shutting down. */
const LAST_OUTPUT_MS = 2_000

/** The CLI needs only the socket, so an occupied port is not fatal: the reason is returned and shown. */
async function listenTcp(server: Server, { config, paths, log }: AghContext): Promise<string | null> {
  const { host, port } = config.http
  try {
    await listen(server, { host, port })
    return null
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    const problem = `port ${port} is taken by another program, perhaps agh of another AGH_HOME; choose another with [http] port in ${paths.config} (0 takes any free one)`
    log.warn(`no HTTP over TCP: ${problem}`)
    return problem
  }
}

/** Responses in progress, including streams. */
function trackAnswers(...servers: Server[]): { settled(limitMs: number): Promise<void> } {
  const open = new Set<Promise<void>>()
  for (const server of servers) {
    server.on('request', (_, response) => {
      const closed = new Promise<void>((resolve) => response.once('close', resolve))
      open.add(closed)
      void closed.then(() => open.delete(closed))
    })
  }
  return {
    settled: (limitMs) => Promise.race([Promise.all(open).then(() => undefined), sleep(limitMs, { ref: false })]),
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

function stopListening(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeIdleConnections()
  })
}
