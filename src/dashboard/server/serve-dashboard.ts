// The one server of ao: the page, its API and stream, terminals, and webhooks of forges. It outlives changes of the
// configuration, which is replaced underneath it, and may serve several configurations.
import { createServer, type IncomingMessage, type Server } from 'node:http'
import { requireTrust } from '../../config/trust/trust.ts'
import { limitConnections } from '../../http/limit-connections.ts'
import { createRouter } from '../../http/route-table.ts'
import { AO_VERSION } from '../../lib/version.ts'
import { type ApiCaller, admitRequest, isStillIn } from '../access/admit-request.ts'
import { createConnectionLimit } from '../access/connection-limit.ts'
import { type Address, close, listen } from '../access/listen.ts'
import { hostNames, listenAddress, outerOrigin, ownOrigin } from '../access/listen-address.ts'
import { createOuterListener, outerAddress } from '../access/outer-listener.ts'
import { type PortClaim, portTaken } from '../access/port-taken.ts'
import { type AccessFiles, openAccess, readTokens } from '../access/request-access.ts'
import { signInLink } from '../access/sign-in.ts'
import { createTickets } from '../access/tickets.ts'
import { createFleetMetrics } from '../metrics/fleet-metrics.ts'
import { answerRequest } from './answer-request.ts'
import type { DashboardContext } from './context.ts'
import { createPageFiles, defaultPageDirectory } from './page-files.ts'
import { DASHBOARD_ROUTES } from './routes.ts'
import {
  addressedRepository,
  type DashboardRepository,
  listRepositories,
  type RepositoryKeeper,
  type SharedParts,
  serveRepository,
} from './serve-repository.ts'

export type { DashboardRepository } from './serve-repository.ts'

export interface DashboardServer {
  /** The port it got. */
  readonly port: number
  /** What a person opens. */
  readonly origin: string
  /** What other machines open; null: none of them can. */
  readonly reached: string | null
  /** Serves another configuration from here on; throws when its address is not available, and stays as it was. */
  use(repository: DashboardRepository): Promise<void>
  /** Why the current configuration file is not in effect; null: it is. */
  complain(problem: string | null): void
  /** Serves one more configuration beside the first; its own address and token do not count. */
  join(repository: DashboardRepository, deliveries: string): JoinedRepository
  /** Ends the first configuration; the others stay. */
  leave(): Promise<void>
  /** A one-time link to the page. */
  link(to?: string): string
  close(): Promise<void>
}

export interface JoinedRepository {
  readonly port: number
  readonly reached: string | null
  use(repository: DashboardRepository): Promise<void>
  complain(problem: string | null): void
  close(): Promise<void>
}

export interface DashboardOptions {
  files: AccessFiles & { deliveries: string }
  /** Where the built page is. */
  pageDirectory?: string
  /** The commands that are tools of the MCP server; none without this. */
  tools?: DashboardContext['tools']
}

interface Listening {
  server: Server
  /** As requested. */
  address: Address
  port: number
  origin: string
}

export async function serveDashboard(first: DashboardRepository, options: DashboardOptions): Promise<DashboardServer> {
  const { log, clock, paths } = first.context
  const router = createRouter<DashboardContext, ApiCaller>(DASHBOARD_ROUTES, {
    log,
    docs: 'docs/dashboard.md',
    keys: ({ requestKeys }) => requestKeys,
    admit: admitRequest,
  })
  const pages = createPageFiles(options.pageDirectory ?? defaultPageDirectory())
  const repositories = new Map<string, RepositoryKeeper>()
  const access = openAccess({ files: options.files, name: paths.hash, clock })
  let listening: Listening | null = null
  const outer = createOuterListener()
  const connections = createConnectionLimit((caller) => isStillIn(access, caller))
  const metrics = await createFleetMetrics(
    () => [...repositories.values()].map((repository) => repository.metrics),
    AO_VERSION ?? 'development',
  )
  const shared: SharedParts = {
    metrics,
    tools: options.tools ?? (async () => []),
    tickets: createTickets(clock),
    connections,
    access,
    repositories: (asking) => listRepositories(repositories, asking),
  }
  /** The repository that a request is for; its address is then the one within it. */
  const addressed = (request: IncomingMessage) => {
    const { repository, url } = addressedRepository(repositories, paths.hash, request.url ?? '/')
    if (repository !== undefined) request.url = url
    return repository
  }
  const open = (claim: PortClaim) =>
    openListening(claim, (server) => {
      server.on('request', (request, response) => {
        const repository = addressed(request)
        if (repository) void answerRequest({ ...repositoryParts(repository), router, pages }, request, response)
        else response.writeHead(404, { 'content-type': 'text/plain' }).end('No such repository is watched here\n')
      })
      server.on('upgrade', (request, socket, head) => {
        const repository = addressed(request)
        if (repository) repository.sockets.upgrade(request, socket, head)
        else socket.destroy()
      })
    })

  async function use(repository: DashboardRepository): Promise<void> {
    const { config, env } = repository.context
    requireTrust(config, { home: paths.home, env, kinds: ['listen'] })
    const address = listenAddress(config)
    const beside = outerAddress(config, paths.home)
    const before = listening
    const stays = before !== null && isSame(address, before.address)
    // Anything that cannot be served is refused before the address changes.
    const keeper = repositories.get(paths.hash)
    const added = keeper === undefined ? serveRepository(repository, options.files.deliveries, shared) : null
    const next = stays ? before : await open({ ...address, home: paths.home, configPath: config.configPath })
    try {
      await outer.use(beside, next.port, next.server)
    } catch (error) {
      if (!stays) await close(next.server)
      throw error
    }
    access.reach = {
      hosts: hostNames(config, next.port, beside?.host),
      reached: outerOrigin(config, next.port, beside?.host ?? null),
      tokens: readTokens(options.files, config.dashboard?.token),
    }
    listening = { ...next, origin: ownOrigin(config, next.port) }
    if (added) repositories.set(paths.hash, added)
    else keeper!.use(repository)
    connections.check()
    if (before && !stays) await close(before.server)
  }

  async function leave(hash: string): Promise<void> {
    const repository = repositories.get(hash)
    repositories.delete(hash)
    await repository?.close()
  }

  await use(first)
  const port = () => listening!.port
  return {
    get port() {
      return port()
    },
    get origin() {
      return listening!.origin
    },
    get reached() {
      return access.reach.reached
    },
    use,
    complain: (problem) => repositories.get(paths.hash)?.complain(problem),
    join(repository, deliveries) {
      const { hash, home } = repository.context.paths
      const agreed = ({ context: { config, env } }: DashboardRepository) =>
        requireTrust(config, { home, env, kinds: ['listen'] })
      agreed(repository)
      const keeper = serveRepository(repository, deliveries, shared)
      repositories.set(hash, keeper)
      return {
        get port() {
          return port()
        },
        get reached() {
          return access.reach.reached
        },
        async use(next) {
          agreed(next)
          keeper.use(next)
        },
        complain: keeper.complain,
        close: () => leave(hash),
      }
    },
    leave: () => leave(paths.hash),
    link: (to) => signInLink(listening!.origin, access.codes.give(), to),
    async close() {
      connections.close()
      for (const hash of [...repositories.keys()]) await leave(hash)
      await outer.close()
      await close(listening!.server)
      metrics.close()
    },
  }
}

function repositoryParts({
  context,
  webhooks,
  observer,
}: RepositoryKeeper): Pick<RepositoryKeeper, 'context' | 'webhooks' | 'observer'> {
  return { context, webhooks, observer }
}

const REQUEST_MS = 30_000

async function openListening(claim: PortClaim, attach: (server: Server) => void): Promise<Omit<Listening, 'origin'>> {
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

function isSame(a: Address, b: Address): boolean {
  return a.host === b.host && a.port === b.port
}
