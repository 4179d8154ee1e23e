// The loop over all projects of one configuration: one LoopContext, one ProjectLoop each.
import { followSessions, type ManagerContext } from '../../manager/context.ts'
import { requireRestartConsent } from '../../manager/launch/start-agent.ts'
import { closeRadars } from '../../manager/observe/radar.ts'
import type { SessionManager } from '../../manager/session-manager.ts'
import type { Notification } from '../../slots/notifier.ts'
import type { Observer } from '../../store/observability/observability.ts'
import type { HealthStatus } from '../../store/observability/snapshot.ts'
import { endSpending } from '../spending/end-spending.ts'
import { keepPause, type PauseKeeper } from '../watch/watch-pause.ts'
import { createLoopState, type LoopContext, type LoopManager } from './loop-context.ts'
import { createProjectLoop, type ProjectLoop } from './project-loop.ts'

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
      createProjectLoop({ loop, project, observer: options.observer, pollMs, pause: () => pause }),
    ]),
  )
  let endFollowing: (() => void) | null = null
  let cassette: { close(): void } | null = null
  let pause: PauseKeeper | null = null
  return {
    async start() {
      pause ??= keepPause(loop, () => {
        for (const one of projects.values()) one.askForge()
      })
      endFollowing ??= followSessions(options.context)
      cassette ??= (await import('../cassette/keep-cassette.ts')).keepCassette(loop)
      await Promise.all([...projects.values()].map((one) => one.start()))
    },
    async stop(graceMs = STOP_GRACE_MS) {
      const rounds = Promise.all([...projects.values()].map((one) => one.stop()))
      // An act that is cut off here left its intent behind, and the next start finds it.
      await within(graceMs, Promise.all([rounds, ...loop.acting.values(), ...loop.releasing.values()]))
      cassette?.close()
      closeRadars(options.context)
      endFollowing?.()
      pause?.close()
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
  const state = createLoopState(context)
  return {
    context,
    manager: loopManager(context, manager),
    notify,
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

function loopManager(context: ManagerContext, manager: SessionManager): LoopManager {
  return {
    ...manager,
    endSpending: (sessionId, how) => endSpending(manager, sessionId, how),
    async restart(sessionId, by) {
      const session = await manager.get(sessionId)
      if (session) await requireRestartConsent(context, session)
      if (session && session.activity !== 'exited')
        await manager.kill(sessionId, { keepWorkspace: true, keepMessages: true, by })
      await manager.restore(sessionId, { by })
    },
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
