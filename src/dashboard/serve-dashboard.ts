// The one server of ao: the page, its API and stream, terminals, and webhooks of forges. It outlives changes of the
// configuration: what it serves from is replaced under it.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { WebhookPlace } from '../http/answer-webhook.ts'
import { checkHost } from '../http/check-request.ts'
import { checkEntry, type Door, type DoorFiles, openDoor } from '../http/door.ts'
import { type Address, close, listen } from '../http/listen.ts'
import { hostNames, listenAddress, ownOrigin } from '../http/listen-address.ts'
import { type PortClaim, portTaken } from '../http/port-taken.ts'
import { setSecurityHeaders } from '../http/security-headers.ts'
import { SIGN_IN_PATH, signIn, signInLink } from '../http/sign-in.ts'
import { createWebhookPlace, takeWebhook, WEBHOOK_PATHS } from '../http/take-webhook.ts'
import { sendError } from '../lib/http/exchange.ts'
import { createRouter, type Router } from '../lib/http/route-table.ts'
import { AO_VERSION } from '../lib/version.ts'
import type { Loop } from '../lifecycle/create-loop.ts'
import type { ManagerContext } from '../manager/context.ts'
import type { SessionManager } from '../manager/types.ts'
import { createObserver, type Observer } from '../store/observability.ts'
import { type BoardKeeper, createBoard } from './board.ts'
import type { DashboardContext } from './context.ts'
import { createPageFiles, defaultPageDirectory, type PageFiles } from './page-files.ts'
import { DASHBOARD_ROUTES } from './routes.ts'
import { streamBoard } from './stream.ts'
import { createTickets } from './tickets.ts'
import { type BoardWatch, watchBoard } from './watch-board.ts'

/** What is served from: one configuration. */
export interface DashboardPlace {
  context: ManagerContext
  manager: SessionManager
  /** null: nothing watches the sessions. */
  loop: Pick<Loop, 'askForge'> | null
}

export interface DashboardServer {
  /** The one it got. */
  readonly port: number
  /** What a person opens. */
  readonly origin: string
  /** Serves from here on from another configuration; throws when its address cannot be had, and stays as it was. */
  use(place: DashboardPlace): Promise<void>
  /** Why the configuration's present file is not in force; null: it is. */
  complain(problem: string | null): void
  /** A one-time link to the page. */
  link(to?: string): string
  close(): Promise<void>
}

export interface DashboardOptions {
  files: DoorFiles & { deliveries: string }
  /** Where the built page is. */
  pageDirectory?: string
}

interface Serving {
  options: DashboardOptions
  observer: Observer
  router: Router<DashboardContext>
  board: BoardKeeper
  pages: PageFiles
  context: DashboardContext
  webhooks: WebhookPlace | null
  watch: BoardWatch
  server: Server
  address: Address
  port: number
}

const REQUEST_MS = 30_000
const MOST_CONNECTIONS = 500

export async function serveDashboard(place: DashboardPlace, options: DashboardOptions): Promise<DashboardServer> {
  const { log, clock, paths } = place.context
  const version = AO_VERSION ?? 'development'
  const board = createBoard({ context: place.context, version, log })
  const tickets = createTickets(clock)
  const serving = {
    options,
    board,
    observer: createObserver({ component: 'dashboard', paths, clock, log, failureLevel: 'info' }),
    router: createRouter(DASHBOARD_ROUTES, { log, docs: 'docs/dashboard.md' }),
    pages: createPageFiles(options.pageDirectory ?? defaultPageDirectory()),
    port: -1,
  } as Serving
  const contextFor = ({ context, manager, loop }: DashboardPlace, door: Door): DashboardContext => ({
    ...context,
    observe: serving.observer.record,
    manager,
    loop,
    board,
    tickets,
    door,
    version,
    stream: (response, how) => streamBoard(response, { ...how, board }),
  })

  async function use(next: DashboardPlace): Promise<void> {
    const { config, registry, env } = next.context
    const webhooks = createWebhookPlace({ config, registry, loop: next.loop, deliveries: options.files.deliveries })
    const address = listenAddress(config, env)
    const isMoving = serving.port === -1 || !isSame(address, serving.address)
    const claim = { ...address, home: paths.home, configPath: config.configPath }
    const opened = isMoving ? await open(serving, claim) : null
    const before = opened ? serving.server : null
    if (opened) Object.assign(serving, { ...opened, address })
    const door = openDoor({
      files: options.files,
      name: paths.hash,
      hosts: hostNames(config, serving.port),
      token: config.dashboard?.token,
      clock,
    })
    serving.webhooks = webhooks
    serving.context = contextFor(next, door)
    serving.watch?.close()
    serving.watch = watchBoard(board, next.context)
    await board.use(next.context, next.loop !== null)
    board.tellStale({ what: 'settings' })
    if (before) await close(before)
  }

  await use(place)
  const origin = () => ownOrigin(serving.context.config, serving.port)
  return {
    get port() {
      return serving.port
    },
    get origin() {
      return origin()
    },
    use,
    complain: (problem) =>
      board.notice(
        'configuration',
        problem === null
          ? null
          : { level: 'error', text: `The changed configuration is not used, the one before is: ${problem}` },
      ),
    link: (to) => signInLink(origin(), serving.context.door.codes.give(), to),
    async close() {
      serving.watch.close()
      board.close()
      await close(serving.server)
      serving.observer.flush()
    },
  }
}

async function open(serving: Serving, claim: PortClaim): Promise<Pick<Serving, 'server' | 'port'>> {
  const server = createServer((request, response) => void answer(serving, request, response))
  server.requestTimeout = REQUEST_MS
  server.headersTimeout = REQUEST_MS
  server.maxConnections = MOST_CONNECTIONS
  server.on('upgrade', (request: IncomingMessage, socket: Duplex) => refuseUpgrade(request, socket))
  try {
    return { server, port: await listen(server, claim) }
  } catch (error) {
    throw portTaken(error as NodeJS.ErrnoException, claim)
  }
}

function refuseUpgrade(_request: IncomingMessage, socket: Duplex): void {
  socket.end('HTTP/1.1 404 Not Found\r\nConnection: close\r\n\r\n')
}

async function answer(serving: Serving, request: IncomingMessage, response: ServerResponse): Promise<void> {
  setSecurityHeaders(response)
  try {
    const url = new URL(request.url ?? '/', 'http://localhost')
    if (url.pathname.startsWith(WEBHOOK_PATHS)) {
      return await takeWebhook(serving.webhooks, request, response, serving.context.log)
    }
    if (url.pathname.startsWith('/api/')) return await answerApi(serving, request, response)
    checkHost(request, serving.context.door.hosts)
    if (url.pathname === SIGN_IN_PATH) return signIn(serving.context.door, request, response, url.searchParams)
    serving.pages.send(request, response, url.pathname)
  } catch (error) {
    if (response.headersSent) response.destroy()
    else sendError(response, error)
  }
}

async function answerApi(serving: Serving, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const started = performance.now()
  const { context, router, observer } = serving
  checkEntry(context.door, request)
  await router.answer(context, request, response)
  const failed = response.statusCode >= 500
  observer.record('api_request', {
    projectId: '*',
    outcome: failed ? 'failure' : 'success',
    durationMs: Math.round(performance.now() - started),
    ...(failed ? { reason: `${request.method} ${request.url?.split('?')[0]}: ${response.statusCode}` } : {}),
  })
}

function isSame(a: Address, b: Address): boolean {
  return a.host === b.host && a.port === b.port
}
