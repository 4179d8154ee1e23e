// The loop over all projects of one configuration: one LoopContext, one ProjectLoop each.
import { errorText } from '../../contract/errors.ts'
import { MAX_QUESTION, requestLine } from '../../core/permission/describe-request.ts'
import { followSessions, type ManagerContext } from '../../manager/context.ts'
import { requireRestartConsent } from '../../manager/launch/consent.ts'
import { closeRadars } from '../../manager/observe/radar.ts'
import type { SessionManager } from '../../manager/types.ts'
import type { Notification } from '../../slots/notifier.ts'
import type { Observer } from '../../store/observability/observability.ts'
import type { HealthStatus } from '../../store/observability/snapshot.ts'
import { answerActions, pageFromElsewhere } from '../notify/answer-actions.ts'
import { endSpending } from '../spending/end-spending.ts'
import { createLoopState, type LoopContext } from './loop-context.ts'
import { createProjectLoop, type ProjectLoop } from './project-loop.ts'
import { runFiles, runningPage } from './run-state.ts'

export interface LoopOptions {
  context: ManagerContext
  manager: SessionManager
  observer: Observer
  notify(notification: Notification): Promise<void>
  say(line: string): void
  /** What an earlier loop in the same process is still carrying out: it is not started again. */
  acting?: LoopContext['acting']
}

export interface Loop {
  /** Resolves after the first tick of every project. */
  start(): Promise<void>
  /** Ends ticks and watches; sessions keep running. Acts in progress get `graceMs`. */
  stop(graceMs?: number): Promise<void>
  askForge(projectId: string): void
  state(): LoopState
}

/** `stalled`: a project has not completed a poll for several intervals. */
export type LoopState = 'starting' | 'ready' | 'stalled'

const DEFAULT_POLL_SECONDS = 30
const STOP_GRACE_MS = 3_000
/** A poll of many sessions on a busy machine may take several intervals. */
const STALLED_POLLS = 4
const STALLED_MS = 60_000

export function createLoop(options: LoopOptions): Loop {
  const { config } = options.context
  const loop = createLoopContext(options)
  const pollMs = (config.lifecycle?.pollSeconds ?? DEFAULT_POLL_SECONDS) * 1_000
  const projects = new Map<string, ProjectLoop>(
    Object.values(config.projects).map((project) => [
      project.id,
      createProjectLoop({ loop, project, observer: options.observer, pollMs }),
    ]),
  )
  let endFollowing: (() => void) | null = null
  return {
    async start() {
      endFollowing ??= followSessions(options.context)
      await Promise.all([...projects.values()].map((one) => one.start()))
    },
    async stop(graceMs = STOP_GRACE_MS) {
      const rounds = Promise.all([...projects.values()].map((one) => one.stop()))
      // An act that is cut off here left its intent behind, and the next start finds it.
      await within(graceMs, Promise.all([rounds, ...loop.acting.values(), ...loop.releasing.values()]))
      closeRadars(options.context)
      endFollowing?.()
    },
    askForge: (projectId) => projects.get(projectId)?.askForge(),
    state: () =>
      loopState(
        [...projects.values()].map((one) => one.polledAt()),
        pollMs,
      ),
  }
}

function loopState(polledAt: ReadonlyArray<number | null>, pollMs: number): LoopState {
  if (polledAt.includes(null)) return 'starting'
  const oldest = Math.min(...polledAt.map(Number))
  return performance.now() - oldest > STALLED_POLLS * pollMs + STALLED_MS ? 'stalled' : 'ready'
}

export function createLoopContext({ context, manager, observer, notify, say, acting }: LoopOptions): LoopContext {
  const health = new Map<string, string>()
  const state = createLoopState(context.paths)
  return {
    manager: context,
    deliver: (sessionId, text, source, how) => manager.deliver(sessionId, text, { source, ...how }),
    deliverHeld: (sessionId) => manager.deliverHeld(sessionId),
    async restart(sessionId, by) {
      const session = await manager.get(sessionId)
      if (session) await requireRestartConsent(context, session)
      if (session && session.activity !== 'exited')
        await manager.kill(sessionId, { keepWorkspace: true, keepMessages: true, by })
      await manager.restore(sessionId, { by })
    },
    switchAccount: (sessionId, how) => manager.switchAccount(sessionId, how),
    endSpending: (sessionId, action, by) => endSpending(manager, sessionId, { action, by }),
    spawn: (projectId, issueId) =>
      manager.spawn({ projectId, issueId }, { onNotice: (line) => say(`issue ${issueId} of the backlog: ${line}`) }),
    recover: (projectId) => manager.recover(projectId),
    notify,
    answerActions: (sessionId) => findAnswers(context, manager, sessionId),
    say,
    health(surface: string, status: HealthStatus, reason?: string) {
      const before = health.get(surface)
      const now = `${status} ${reason ?? ''}`
      if (before === now || (before === undefined && status === 'ok' && surface.includes(' '))) return
      health.set(surface, now)
      observer.health(surface, { status, reason })
    },
    ...state,
    acting: acting ?? state.acting,
  }
}

/** A notification without links is better than none. */
async function findAnswers(context: ManagerContext, manager: SessionManager, sessionId: string) {
  const { config, paths, clock, log } = context
  const pending = await manager.pendingPermissions(sessionId).catch((error: unknown) => {
    log.debug(`what ${sessionId} asks could not be read: ${errorText(error)}`)
    return []
  })
  const [request] = pending
  const question = request && requestLine(request, MAX_QUESTION)
  const local = runningPage(paths)
  if (local === undefined) return { question }
  const links = { config, page: local, keyFile: runFiles(paths).links, now: clock.now().getTime() }
  const page = pageFromElsewhere(links)
  const url = page === undefined ? undefined : `${page}/sessions/${encodeURIComponent(sessionId)}`
  const { origin, pathname } = new URL(local)
  const path = `${pathname.replace(/\/$/, '')}/sessions/${encodeURIComponent(sessionId)}`
  try {
    const actions = answerActions(links, sessionId, pending)
    const own = answerActions({ ...links, config: { dashboard: { url: origin } } }, sessionId, pending)
    const onPage = { path, actions: own.map(({ label, url }) => ({ label, url: new URL(url).pathname })) }
    return { question, url, actions: actions.length === 0 ? undefined : actions, onPage }
  } catch (error) {
    log.debug(`the notification about ${sessionId} has no links to answer by: ${errorText(error)}`)
    return { question, url, onPage: { path, actions: [] } }
  }
}

async function within(ms: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  await Promise.race([work, late])
  clearTimeout(timer)
}
