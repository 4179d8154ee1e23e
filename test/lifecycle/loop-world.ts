// A tick on plugins that only remember: a forge whose answers the test writes, notifications that are kept.

import type { Pull } from '../../src/contract/pull.ts'
import { silentLog } from '../../src/lib/log.ts'
import {
  createLoopState,
  type LoopContext,
  type LoopManager,
  type SessionTick,
} from '../../src/lifecycle/loop/loop-context.ts'
import { endSpending } from '../../src/lifecycle/spending/end-spending.ts'
import { type TickOptions, tick } from '../../src/lifecycle/tick/tick.ts'
import { createManagerContext } from '../../src/manager/context.ts'
import { createSessionManager } from '../../src/manager/session-manager.ts'
import type { Notification } from '../../src/slots/notifier.ts'
import type { PrReading, Scm } from '../../src/slots/scm.ts'
import { createSessionStore, type SessionStore } from '../../src/store/session/session-store.ts'
import { createFakeWorld, type FakeOptions, type FakeWorld } from '../manager/fake-world.ts'

export interface LoopWorld extends FakeWorld {
  clock: { now(): Date; pass(ms: number): void }
  loop: LoopContext
  store: SessionStore
  notifications: Notification[]
  lines: string[]
  merged: string[]
  restarted: string[]
  health: Map<string, string>
  logs: Map<string, string>
  /** What the forge answers for a session; an error is thrown for all. */
  forge: { readings: Map<string, PrReading>; error: Error | null }
  undeliverable: { why: string | null }
  tick(options?: TickOptions): Promise<SessionTick[]>
  /** As another process would see it: nothing is remembered but what is on disk. */
  reborn(): void
  spawn(issueId?: string): Promise<string>
  status(id: string): string | undefined
  reactions(id: string): string[]
}

/** For a loop whose agents nobody has to do anything about. */
const refuse = () => Promise.reject(new Error('not in this test'))
export const unusedManager: LoopManager = {
  deliver: refuse,
  deliverHeld: refuse,
  endSpending: refuse,
  resumeAgent: refuse,
  pendingPermissions: async () => [],
  react: refuse,
  recover: async () => [],
  restart: refuse,
  spawn: refuse,
  startDue: refuse,
  startTriggered: refuse,
  startReview: refuse,
  kill: refuse,
  startWaiting: refuse,
  switchAccount: refuse,
}

const START = Date.parse('2026-01-01T00:00:00Z')

export async function createLoopWorld(options: FakeOptions & { scm?: Partial<Scm> } = {}): Promise<LoopWorld> {
  const state = {
    notifications: [] as Notification[],
    lines: [] as string[],
    merged: [] as string[],
    restarted: [] as string[],
    health: new Map<string, string>(),
    logs: new Map<string, string>(),
    forge: { readings: new Map<string, PrReading>(), error: null as Error | null },
    undeliverable: { why: null as string | null },
  }
  const scm: Partial<Scm> = {
    async readPullRequests(queries) {
      if (state.forge.error) throw state.forge.error
      return new Map(
        queries.map(({ sessionId }) => [sessionId, state.forge.readings.get(sessionId) ?? { kind: 'none' }]),
      )
    },
    getCheckLog: async (_pr, check) => state.logs.get(check.name) ?? '',
    async mergePR(_pr, { sha }) {
      state.merged.push(sha)
      return { commit: 'c'.repeat(40) }
    },
    ...options.scm,
  }
  const world = await createFakeWorld({
    ...options,
    scm,
    projectYaml: `tracker: fake\nscm: fake\n${options.projectYaml ?? ''}`,
  })
  let at = START
  const clock = {
    now: () => new Date(at),
    pass: (ms: number) => {
      at += ms
    },
  }
  const common = {
    config: world.config,
    registry: world.registry,
    env: world.env,
    home: world.temp.home,
    log: silentLog,
    clock,
  }
  const manager = createSessionManager({ ...common, aoCommand: ['ao'] })
  const context = createManagerContext({ ...common, aoCommand: ['ao'] })
  const make = (): LoopContext => ({
    context,
    manager: {
      ...manager,
      pendingPermissions: async () => [],
      deliver: (id, text, how) => manager.deliver(id, text, { ...how, timeoutMs: 0 }),
      async react(id, text, how) {
        const { why } = state.undeliverable
        if (why !== null) return { messageId: 'm', level: 'undelivered', why }
        return manager.react(id, text, { ...how, timeoutMs: 0 })
      },
      async restart(id) {
        state.restarted.push(id)
      },
      endSpending: (id, how) => endSpending(manager, id, how),
    },
    async notify(notification) {
      const isKnown = state.notifications.some(({ dedupeKey }) => dedupeKey === notification.dedupeKey)
      if (!isKnown) state.notifications.push(notification)
    },
    say: (line) => void state.lines.push(line),
    health: (surface, status) => void state.health.set(surface, status),
    ...createLoopState(context),
  })
  let loop = make()
  const store = createSessionStore({
    projectId: 'my-app',
    paths: world.paths,
    configPath: world.configPath,
    clock,
    log: silentLog,
  })
  return {
    ...world,
    ...state,
    clock,
    store,
    get loop() {
      return loop
    },
    tick: (how) => tick(loop, 'my-app', how),
    reborn: () => {
      loop = make()
    },
    spawn: async () => (await manager.spawn({ projectId: 'my-app', prompt: 'work' })).id,
    status: (id) => store.read(id)?.pairs.status,
    reactions: (id) =>
      store
        .readHistory(id)
        .events.flatMap((one) => (one.type === 'reaction' ? [`${one.key} ${one.action} ${one.outcome}`] : [])),
  }
}

const SHA = 'a'.repeat(40)

/** An open pull request with running checks and no review, changed as the test says. */
export function snapshot(change: Partial<Pull> = {}): Pull {
  return {
    pr: { url: 'https://example.invalid/pull/1', number: 1 },
    state: 'open',
    headSha: SHA,
    ci: 'pending',
    checks: [],
    review: 'none',
    reviews: [],
    comments: [],
    hasConflicts: false,
    mergeable: true,
    failingOnBase: [],
    updatedAt: '2026-01-01T00:00:00Z',
    ...change,
  }
}

export function failing(names: string[], change: Partial<Pull> = {}): Pull {
  const checks = names.map((name) => ({ id: name, name, status: 'failed' as const }))
  return snapshot({ ci: 'failing', checks, ...change })
}
