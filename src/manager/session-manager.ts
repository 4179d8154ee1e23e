// createSessionManager: ties the operations to one configuration and one registry. Stateless; no logic of its own.

import type { OrchestratorConfig } from '../contract/config.ts'
import { errorText } from '../contract/errors.ts'
import type { Session } from '../contract/session.ts'
import { type Clock, systemClock } from '../lib/clock.ts'
import { createLog, type Log } from '../lib/log.ts'
import { measure } from '../lib/measures.ts'
import { ownHome } from '../lib/process/own-home.ts'
import { ownProgram } from '../lib/process/own-program.ts'
import type { PluginContext } from '../slots/plugin.ts'
import type { PluginRegistry } from '../slots/registry.ts'
import { createPaths } from '../store/paths.ts'
import { createSessionStore, type SessionStore } from '../store/session/session-store.ts'
import type { ManagerContext, Observation } from './context.ts'
import { get, list } from './observe/enrich.ts'
import { findActive, findArchived } from './observe/find-session.ts'
import type { SessionManager } from './types.ts'

export interface SessionManagerOptions {
  config: OrchestratorConfig
  registry: PluginRegistry
  clock?: Clock
  log?: Log
  env?: NodeJS.ProcessEnv
  home?: string
  /** argv that starts ao; detected when ao's own command is running. */
  aoCommand?: string[]
  /** The port the dashboard is listening on; the configured one if absent. */
  dashboardPort?: () => number | undefined
  observe?: (operation: string, observation: Observation) => void
}

export function createSessionManager(options: SessionManagerOptions): SessionManager {
  return managerOf(createManagerContext(options))
}

/**
 * For plugins, which know nothing of the manager. The options are read when somebody asks: their registry has to be made
 * first.
 */
export function sessionPlaces(options: () => SessionManagerOptions): NonNullable<PluginContext['sessionPlace']> {
  return async (projectId, sessionId) =>
    (await import('./place/session-place.ts')).sessionPlace(createManagerContext(options()), projectId, sessionId)
}

/** For the loop, which has the context too: both share what they know of the records. */
export function managerOf(context: ManagerContext): SessionManager {
  const observed = observeWith(context)
  // Listing is the most frequent command; operations that change sessions are loaded on demand.
  return {
    list: (projectId) => list(context, projectId),
    get: (sessionId) => get(context, sessionId),
    spawn: (config, how) =>
      observed('spawn', { projectId: config.projectId }, async (subject) =>
        named(subject, await (await import('./launch/spawn.ts')).spawn(context, config, how)),
      ),
    planSpawn: async (config, how) => (await import('./launch/spawn.ts')).planSpawn(context, config, how),
    spawnOrchestrator: (config, { onProgress } = {}) =>
      observed('spawn', { projectId: config.projectId }, async (subject) =>
        named(
          subject,
          await (await import('./launch/spawn-orchestrator.ts')).spawnOrchestrator(context, config, onProgress),
        ),
      ),
    restore: (sessionId, how) =>
      observed('restore', { sessionId }, async () =>
        (await import('./launch/restore.ts')).restore(context, sessionId, how),
      ),
    kill: (sessionId, how) =>
      observed('kill', { sessionId }, async () => (await import('./remove/kill.ts')).kill(context, sessionId, how)),
    pause: (sessionId, how) =>
      observed('pause', { sessionId }, async () => (await import('./place/pause.ts')).pause(context, sessionId, how)),
    move: (sessionId, how) =>
      observed('move', { sessionId }, async () => (await import('./place/move.ts')).move(context, sessionId, how)),
    switchAccount: (sessionId, how) =>
      observed('switch', { sessionId }, async () =>
        (await import('./fallback/switch-account.ts')).switchAccount(context, sessionId, how),
      ),
    exportSession: async (sessionId, how) =>
      (await import('./transfer/export-session.ts')).exportSession(context, sessionId, how),
    importSession: async (file, how) =>
      (await import('./transfer/import-session.ts')).importSession(context, file, how),
    listPlaces: async () => (await import('./place/places.ts')).listPlaces(context),
    testPlace: async (name) => (await import('./place/places.ts')).testPlace(context, name),
    drainPlace: async (name, drained) => (await import('./place/places.ts')).drainPlace(context, name, drained),
    cleanup: (projectId, how) =>
      observed('cleanup', { projectId }, async () =>
        (await import('./remove/cleanup.ts')).cleanup(context, projectId, how),
      ),
    planCleanup: async (projectId) => (await import('./remove/cleanup.ts')).planCleanup(context, projectId),
    deliver: (sessionId, text, how) =>
      observed('send', { sessionId }, async () => (await import('./send.ts')).send(context, sessionId, text, how)),
    send: (sessionId, text) =>
      observed('send', { sessionId }, async () => (await import('./send.ts')).sendOrThrow(context, sessionId, text)),
    deliverHeld: (sessionId) =>
      observed('send', { sessionId }, async () => (await import('./deliver.ts')).deliverHeld(context, sessionId)),
    answerPermission: (sessionId, answer) =>
      observed('answer_permission', { sessionId }, async () =>
        (await import('./permissions.ts')).answerPermission(context, sessionId, answer),
      ),
    pendingPermissions: async (sessionId, options) =>
      (await import('./permissions.ts')).pendingPermissions(context, sessionId, options),
    readTranscript: async (sessionId) =>
      (await import('./observe/session-events.ts')).readTranscript(context, sessionId),
    radar: async (projectId, { budgetMs } = {}) =>
      (await import('./observe/radar.ts')).readRadar(context, projectId, budgetMs),
    diff: async (session, request) =>
      (await import('./observe/session-diff.ts')).diffSession(context, session, request),
    commits: async (session) => (await import('./observe/session-diff.ts')).sessionCommits(context, session),
    async readScreen({ runtimeHandle: handle }, lines) {
      if (!handle) return ''
      return (await context.registry.load('runtime', handle.runtimeName)).getOutput(handle, lines)
    },
    async *followEvents(sessionId, how) {
      yield* (await import('./observe/session-events.ts')).followEvents(context, sessionId, how)
    },
    claimPR: (sessionId, reference, how) =>
      observed('claim_pr', { sessionId }, async () =>
        (await import('./claim-pr.ts')).claimPr(context, sessionId, reference, how),
      ),
    finish: (sessionId) =>
      observed('kill', { sessionId }, async () =>
        (await import('./remove/kill.ts')).kill(context, sessionId, { keepWorkspace: true, endAs: 'done' }),
      ),
    setBudget: (sessionId, usd) =>
      observed('send', { sessionId }, async () =>
        (await import('./attend/set-budget.ts')).setBudget(context, sessionId, usd),
      ),
    costs: async (projectId) => {
      const { costEntries } = await import('./observe/cost-entries.ts')
      return costEntries(context, await list(context, projectId), projectId)
    },
    stopTurn: (sessionId, options) =>
      observed('send', { sessionId }, async () =>
        (await import('./attend/stop-turn.ts')).stopTurn(context, sessionId, options),
      ),
    retryTurn: (sessionId, options) =>
      observed('send', { sessionId }, async () =>
        (await import('./attend/retry-turn.ts')).retryTurn(context, sessionId, options),
      ),
    standingRules: async (sessionId) => (await import('./attend/standing-rules.ts')).readRules(context, sessionId),
    revokeRule: (sessionId, id) =>
      observed('answer_permission', { sessionId }, async () =>
        (await import('./attend/standing-rules.ts')).revokeRule(context, sessionId, id),
      ),
    waitingMessages: async (sessionId) =>
      (await import('./message/waiting-messages.ts')).readWaiting(context, sessionId),
    changeWaiting: (sessionId, messageId, text) =>
      observed('send', { sessionId }, async () =>
        (await import('./message/waiting-messages.ts')).changeWaiting(context, sessionId, messageId, text),
      ),
    snooze: async (sessionId, request) => (await import('./attend/attend.ts')).snooze(context, sessionId, request),
    handIn: (sessionId) =>
      observed('send', { sessionId }, async () => (await import('./attend/attend.ts')).handIn(context, sessionId)),
    merge: (sessionId, sha) =>
      observed('merge', { sessionId }, async () => (await import('./attend/merge.ts')).merge(context, sessionId, sha)),
    rename: async (sessionId, title) => (await import('./attend/rename.ts')).rename(context, sessionId, title),
    findLeftovers: async (projectId) => (await import('./remove/leftovers.ts')).findLeftovers(context, projectId),
    recover: async (projectId, onFailure) =>
      (await import('./remove/recover.ts')).recover(context, projectId, onFailure),
  }
}

/** Also for the loop, which works below the manager's own operations. */
export function createManagerContext(options: SessionManagerOptions): ManagerContext {
  const env = options.env ?? process.env
  const clock = options.clock ?? systemClock
  const log = options.log ?? createLog(env.AO_LOG_LEVEL)
  const { config } = options
  const paths = createPaths({ configPath: config.configPath, home: options.home ?? ownHome(env), env })
  const stores = new Map<string, SessionStore>()
  return {
    config,
    registry: options.registry,
    paths,
    clock,
    log,
    env,
    aoCommand: options.aoCommand ?? defaultAoCommand(),
    dashboardPort: options.dashboardPort ?? (() => undefined),
    observe: options.observe ?? (() => undefined),
    store(projectId) {
      let store = stores.get(projectId)
      if (!store) {
        store = createSessionStore({
          projectId,
          paths: paths.project(projectId),
          configPath: config.configPath,
          clock,
          log,
        })
        stores.set(projectId, store)
      }
      return store
    },
  }
}

/** The bundled command is next to the bundled library. */
export function defaultAoCommand(): string[] {
  return [process.execPath, ownProgram(import.meta.url, '../cli/ao.ts', 'ao.js')]
}

type Subject = { projectId?: string | undefined; sessionId?: string | undefined }

function observeWith(context: ManagerContext) {
  return async function observed<T>(
    operation: string,
    given: Subject,
    work: (subject: Subject) => Promise<T>,
  ): Promise<T> {
    const subject = { ...given }
    const started = performance.now()
    // Looked up before: a purge leaves nothing to find.
    const projectId = subject.projectId ?? projectOf(context, subject.sessionId) ?? '*'
    const observe = (outcome: 'success' | 'failure', reason?: string) => {
      const durationMs = performance.now() - started
      const { sessionId } = subject
      context.observe(operation, { projectId, sessionId, outcome, durationMs: Math.round(durationMs), reason })
      const repository = context.paths.hash
      measure('operation', { repository, project: projectId, operation, outcome, seconds: durationMs / 1_000 })
    }
    try {
      const result = await work(subject)
      observe('success')
      return result
    } catch (error) {
      observe('failure', errorText(error))
      throw error
    }
  }
}

function projectOf(context: ManagerContext, sessionId: string | undefined): string | undefined {
  const [only, ...others] = Object.keys(context.config.projects)
  if (others.length === 0) return only
  if (sessionId === undefined) return undefined
  return (findActive(context, sessionId) ?? findArchived(context, sessionId))?.project.id
}

/** A new session has its id only now. */
function named(subject: Subject, session: Session): Session {
  subject.sessionId = session.id
  return session
}
