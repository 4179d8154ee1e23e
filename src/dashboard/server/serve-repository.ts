// What is served for one configuration: its board, its terminals and its webhooks. Several of them may share a server: the first
// is at `/`, every one at `/r/<hash of its configuration>/`. They share a port, a page and a sign-in, and nothing else: two of them
// may have a project of the same name.
import { existsSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import type { Notice } from '../../contract/dashboard/cards.ts'
import { repositoryBase, splitRepository } from '../../contract/dashboard/page-paths.ts'
import type { Repository } from '../../contract/dashboard/pages.ts'
import { errorText } from '../../contract/errors.ts'
import type { MetricsText } from '../../http/metrics.ts'
import { openRequestKeys } from '../../http/request-keys.ts'
import { AO_VERSION } from '../../lib/version.ts'
import type { Loop } from '../../lifecycle/loop/create-loop.ts'
import { runFiles } from '../../lifecycle/loop/run-state.ts'
import { followSessions, type ManagerContext } from '../../manager/context.ts'
import { conversationKey, followEvents, readStoredEvents } from '../../manager/observe/session-events.ts'
import type { SessionManager } from '../../manager/session-manager.ts'
import { createObserver, type Observer } from '../../store/observability/observability.ts'
import type { WebhookContext } from '../access/answer-webhook.ts'
import type { ConnectionLimit } from '../access/connection-limit.ts'
import { createWebhookContext } from '../access/receive-webhook.ts'
import type { RequestAccess } from '../access/request-access.ts'
import type { Tickets } from '../access/tickets.ts'
import { createBoard } from '../board/board.ts'
import { createKeptTranscripts } from '../board/kept-transcripts.ts'
import { streamBoard } from '../board/stream.ts'
import { watchBoard } from '../board/watch-board.ts'
import { createCensus } from '../metrics/census.ts'
import type { MetricsSource } from '../metrics/fleet-metrics.ts'
import type { DashboardContext } from './context.ts'
import { createSocketUpgrade, type SocketUpgrade } from './socket-upgrade.ts'

/** What is served from: one configuration. */
export interface DashboardRepository {
  context: ManagerContext
  manager: SessionManager
  /** null: nothing watches the sessions. */
  loop: Pick<Loop, 'askForge' | 'state'> | null
}

/** What the repositories of a server have in common. */
export interface SharedParts {
  tickets: Tickets
  connections: ConnectionLimit
  access: RequestAccess
  metrics: MetricsText
  tools: DashboardContext['tools']
  repositories(asking: string): Promise<Repository[]>
}

export interface RepositoryKeeper {
  /** Of the configuration: names the repository in addresses. */
  readonly hash: string
  readonly context: DashboardContext
  readonly webhooks: WebhookContext | null
  readonly observer: Observer
  readonly sockets: SocketUpgrade
  readonly metrics: MetricsSource
  /** Serves another version of the configuration from here on. Throws when it cannot, and stays as it was. */
  use(repository: DashboardRepository): void
  /** Why the current configuration file is not in effect; null: it is. */
  complain(problem: string | null): void
  close(): Promise<void>
}

export function serveRepository(first: DashboardRepository, deliveries: string, shared: SharedParts): RepositoryKeeper {
  const { log, clock, paths } = first.context
  const { hash } = paths
  const version = AO_VERSION ?? 'development'
  const observer = createObserver({ component: 'dashboard', paths, clock, log, failureLevel: 'info' })
  const board = createBoard({ context: first.context, version, log, watch: watchBoard })
  const transcripts = createKeptTranscripts({
    keyOf: (sessionId) => conversationKey(board.context(), sessionId),
    read: (sessionId, after) => readStoredEvents(board.context(), sessionId, after),
    follow: (sessionId, how) => followEvents(board.context(), sessionId, how),
    log,
    mayContinue: (sessionId) => board.card(sessionId)?.can.send === true,
  })
  const requestKeys = openRequestKeys({ directory: runFiles(paths).requests, clock, log })
  const describe = ({
    context,
    manager,
    loop,
  }: DashboardRepository): Pick<RepositoryKeeper, 'context' | 'webhooks'> => ({
    webhooks: createWebhookContext({
      ...{ config: context.config, registry: context.registry, loop, deliveries },
      now: () => clock.now(),
      noteRequest: (project, name, event) => manager.noteRequest(project, name, event),
    }),
    context: {
      ...context,
      observe: observer.record,
      manager,
      loop,
      board,
      tickets: shared.tickets,
      connections: shared.connections,
      metrics: shared.metrics,
      tools: shared.tools,
      requestKeys,
      access: shared.access,
      repositories: () => shared.repositories(hash),
      version,
      describeApi: async () => (await import('./describe-api.ts')).describeDashboardApi(version),
      transcripts,
      stream: (writer, how) => streamBoard(writer, { ...how, board, transcripts }),
    },
  })
  let now = describe(first)
  let endFollowing = followSessions(first.context)
  const sockets = createSocketUpgrade(() => now.context)
  const census = createCensus(() => now.context)
  board.use(first.context, first.loop !== null)
  return {
    hash,
    get context() {
      return now.context
    },
    get webhooks() {
      return now.webhooks
    },
    observer,
    sockets,
    metrics: {
      repository: hash,
      configPath: first.context.config.configPath,
      census: census.read,
      loopState: () => now.context.loop?.state() ?? null,
    },
    use(repository) {
      now = describe(repository)
      const endBefore = endFollowing
      endFollowing = followSessions(repository.context)
      endBefore()
      board.use(repository.context, repository.loop !== null)
      board.publishStale({ what: 'settings' })
    },
    complain: (problem) =>
      board.setNotices(({ id }) => id === NOT_IN_FORCE, problem === null ? [] : [notInForce(problem)]),
    async close() {
      census.close()
      transcripts.close()
      board.close()
      endFollowing()
      await sockets.close()
      observer.flush()
    },
  }
}

const NOT_IN_FORCE = 'configuration'

function notInForce(problem: string): Notice {
  return {
    id: NOT_IN_FORCE,
    level: 'error',
    text: `The last configuration change was not applied: ${problem}`,
  }
}

export interface Addressed {
  /** undefined: no such repository. */
  repository: RepositoryKeeper | undefined
  /** The address within the repository. */
  url: string
}

/** Whose request this is. */
export function addressedRepository(
  repositories: ReadonlyMap<string, RepositoryKeeper>,
  main: string,
  url: string,
): Addressed {
  const { hash, rest } = splitRepository(url)
  if (hash !== null) return { repository: repositories.get(hash), url: rest }
  // The first one may have left; then any other is at `/`.
  return { repository: repositories.get(main) ?? [...repositories.values()][0], url }
}

export async function listRepositories(
  repositories: ReadonlyMap<string, RepositoryKeeper>,
  asking: string,
): Promise<Repository[]> {
  return Promise.all(
    [...repositories.values()].map(async ({ hash, context }) => {
      const { configPath, projects } = context.config
      const counted = existsSync(configPath)
        ? await countSessions(context.board)
        : { sessions: 0, needsYou: 0, problem: `${configPath} is gone` }
      return {
        hash,
        href: repositoryBase(hash),
        name: basename(dirname(configPath)),
        configPath,
        projects: Object.values(projects).map(({ id, name }) => ({ id, name })),
        isThis: hash === asking,
        ...counted,
      }
    }),
  )
}

/** A repository that cannot be read is one line of the list, and hides no other. */
async function countSessions(
  board: DashboardContext['board'],
): Promise<Pick<Repository, 'sessions' | 'needsYou' | 'problem'>> {
  try {
    await board.fresh()
    const { sessions, notices } = board.read()
    const needsYou = sessions.filter(({ column }) => column === 'needs_you').length
    const problem = notices.find(({ level }) => level === 'error')?.text ?? null
    return { sessions: sessions.length + board.older().length, needsYou, problem }
  } catch (error) {
    return { sessions: 0, needsYou: 0, problem: errorText(error) }
  }
}
