// The one server of ao: the page, its API and stream, terminals, and webhooks of forges. It outlives changes of the
// configuration, which is replaced underneath it.

import { createServer, type Server } from 'node:http'
import { requireTrust } from '../../config/trust/trust.ts'
import type { Notice } from '../../contract/dashboard/cards.ts'
import { limitConnections } from '../../http/connection-places.ts'
import { createRouter } from '../../http/route-table.ts'
import { AO_VERSION } from '../../lib/version.ts'
import type { Loop } from '../../lifecycle/loop/create-loop.ts'
import type { ManagerContext } from '../../manager/context.ts'
import type { SessionManager } from '../../manager/types.ts'
import { createObserver } from '../../store/observability/observability.ts'
import type { WebhookPlace } from '../access/answer-webhook.ts'
import { createConnectionLimit } from '../access/connection-limit.ts'
import { type Address, close, listen } from '../access/listen.ts'
import { hostNames, listenAddress, ownOrigin } from '../access/listen-address.ts'
import { type PortClaim, portTaken } from '../access/port-taken.ts'
import { createWebhookPlace } from '../access/receive-webhook.ts'
import { type AccessFiles, isStillIn, openAccess } from '../access/request-access.ts'
import { signInLink } from '../access/sign-in.ts'
import { createTickets } from '../access/tickets.ts'
import { createBoard } from '../board/board.ts'
import { streamBoard } from '../board/stream.ts'
import { watchBoard } from '../board/watch-board.ts'
import { createTerminalUpgrade } from '../terminal/terminal-upgrade.ts'
import { answerRequest } from './answer-request.ts'
import type { DashboardContext } from './context.ts'
import { createPageFiles, defaultPageDirectory } from './page-files.ts'
import { DASHBOARD_ROUTES } from './routes.ts'

/** What is served from: one configuration. */
export interface DashboardPlace {
  context: ManagerContext
  manager: SessionManager
  /** null: nothing watches the sessions. */
  loop: Pick<Loop, 'askForge' | 'state'> | null
}

export interface DashboardServer {
  /** The port it got. */
  readonly port: number
  /** What a person opens. */
  readonly origin: string
  /** Serves another configuration from here on; throws when its address is not available, and stays as it was. */
  use(place: DashboardPlace): Promise<void>
  /** Why the current configuration file is not in effect; null: it is. */
  complain(problem: string | null): void
  /** A one-time link to the page. */
  link(to?: string): string
  close(): Promise<void>
}

export interface DashboardOptions {
  files: AccessFiles & { deliveries: string }
  /** Where the built page is. */
  pageDirectory?: string
}

/** What changes with the configuration. */
interface Serving {
  context: DashboardContext
  webhooks: WebhookPlace | null
  listening: Listening
}

interface Listening {
  server: Server
  /** As requested. */
  address: Address
  port: number
}

export async function serveDashboard(first: DashboardPlace, options: DashboardOptions): Promise<DashboardServer> {
  const { log, clock, paths } = first.context
  const version = AO_VERSION ?? 'development'
  const observer = createObserver({ component: 'dashboard', paths, clock, log, failureLevel: 'info' })
  const board = createBoard({ context: first.context, version, log, watch: watchBoard })
  const tickets = createTickets(clock)
  const router = createRouter(DASHBOARD_ROUTES, { log, docs: 'docs/dashboard.md' })
  const pages = createPageFiles(options.pageDirectory ?? defaultPageDirectory())
  let serving: Serving | null = null
  const now = (): Serving => serving!
  const connections = createConnectionLimit((caller) => isStillIn(now().context.access, caller))
  const terminals = createTerminalUpgrade(() => now().context)
  const open = (claim: PortClaim) =>
    openListening(claim, (server) => {
      server.on('request', (request, response) => {
        void answerRequest({ ...now(), router, observer, pages }, request, response)
      })
      server.on('upgrade', terminals.upgrade)
    })

  async function use({ context, manager, loop }: DashboardPlace): Promise<void> {
    const { config, registry, env } = context
    requireTrust(config, { home: paths.home, env, kinds: ['listen'] })
    const webhooks = createWebhookPlace({ config, registry, loop, deliveries: options.files.deliveries })
    const address = listenAddress(config)
    const before = serving
    const stays = before !== null && isSame(address, before.listening.address)
    const claim = { ...address, home: paths.home, configPath: config.configPath }
    const listening = stays ? before.listening : await open(claim)
    const hosts = hostNames(config, listening.port)
    const access = openAccess({ files: options.files, name: paths.hash, hosts, token: config.dashboard?.token, clock })
    serving = {
      webhooks,
      listening,
      context: {
        ...context,
        observe: observer.record,
        manager,
        loop,
        board,
        tickets,
        connections,
        access,
        version,
        stream: (response, how) => streamBoard(response, { ...how, board }),
      },
    }
    connections.check()
    board.use(context, loop !== null)
    board.publishStale({ what: 'settings' })
    if (before && !stays) await close(before.listening.server)
  }

  await use(first)
  const origin = () => ownOrigin(now().context.config, now().listening.port)
  return {
    get port() {
      return now().listening.port
    },
    get origin() {
      return origin()
    },
    use,
    complain: (problem) =>
      board.setNotices(({ id }) => id === NOT_IN_FORCE, problem === null ? [] : [notInForce(problem)]),
    link: (to) => signInLink(origin(), now().context.access.codes.give(), to),
    async close() {
      board.close()
      connections.close()
      await terminals.close()
      await close(now().listening.server)
      observer.flush()
    },
  }
}

const REQUEST_MS = 30_000

async function openListening(claim: PortClaim, attach: (server: Server) => void): Promise<Listening> {
  const { host, port } = claim
  const server = createServer()
  server.requestTimeout = REQUEST_MS
  server.headersTimeout = REQUEST_MS
  limitConnections(server)
  attach(server)
  try {
    return { server, address: { host, port }, port: await listen(server, claim) }
  } catch (error) {
    throw portTaken(error as NodeJS.ErrnoException, claim)
  }
}

const NOT_IN_FORCE = 'configuration'

function notInForce(problem: string): Notice {
  return {
    id: NOT_IN_FORCE,
    level: 'error',
    text: `The changed configuration is not used, the one before is: ${problem}`,
  }
}

function isSame(a: Address, b: Address): boolean {
  return a.host === b.host && a.port === b.port
}
