// Everything that `ao start` runs: a loop for the current configuration, replaced when the file changes.
import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { requireTrust, SERVICE_KINDS, trustDigest, untrustedItems } from '../../config/trust/trust.ts'
import type { OrchestratorConfig } from '../../contract/config.ts'
import { repositoryBase } from '../../contract/dashboard/page-paths.ts'
import { errorText } from '../../contract/errors.ts'
import { sleep, systemClock } from '../../lib/clock.ts'
import { withLock } from '../../lib/lock.ts'
import type { Log } from '../../lib/log.ts'
import type { ManagerContext } from '../../manager/context.ts'
import { createManagerContext } from '../../manager/context.ts'
import { managerOf, type SessionManager, sessionPlaces } from '../../manager/session-manager.ts'
import { createPluginRegistry } from '../../plugins/registry.ts'
import type { PluginRegistry } from '../../slots/registry.ts'
import { createObserver, type Observer } from '../../store/observability/observability.ts'
import { createPaths } from '../../store/paths.ts'
import { createMessenger } from '../notify/create-messenger.ts'
import { createPushNotifiers } from '../push/push-notifiers.ts'
import { watchConfig } from '../watch/watch-config.ts'
import { createLoop, type Loop } from './create-loop.ts'
import { keepDisk, keepLogShort } from './keep-disk.ts'
import type { LoopContext } from './loop-context.ts'
import {
  configDigest,
  type RunFiles,
  type RunState,
  runFiles,
  runningPage,
  runningPort,
  userDigest,
  writeRunState,
} from './run-state.ts'

export interface RunOptions {
  config: OrchestratorConfig
  /** Of the file that `config` was read from. */
  digest?: string | undefined
  /** Reads the file again; throws when it is not valid. */
  reload(): Promise<OrchestratorConfig>
  env: NodeJS.ProcessEnv
  home: string
  log: Log
  /** What the loop does, one line each: its own output, whatever the log level. */
  say(line: string): void
  /** The file that standard output is redirected to; null: a terminal. */
  logFile: string | null
  stop: AbortSignal
  /** What others must know about the process and the page. */
  shared?: Pick<RunState, 'host' | 'joins'>
  /** The server for the outside. It outlives a change of the configuration and is notified of it. */
  serve?(repository: ServedRepository): Promise<Served>
}

export interface ServedRepository {
  context: ManagerContext
  manager: SessionManager
  loop: Loop
}

export interface Served {
  /** The port it got. */
  readonly port: number
  /** Under which address other machines open it; null: none of them can. */
  readonly reached: string | null
  /** Throws when it cannot, and stays as it was. */
  use(repository: ServedRepository): Promise<void>
  /** Why the changed file is not in effect; null: it is. */
  complain(problem: string | null): void
  close(): Promise<void>
}

/** Resolves when it was asked to stop and everything is shut down. LOCK_TIMEOUT: another loop is running. */
export async function runLoop(options: RunOptions): Promise<void> {
  const { config, home, env, log } = options
  const paths = createPaths({ configPath: config.configPath, home, env })
  const files = runFiles(paths)
  const startedAt = systemClock.now().toISOString()
  const observer = createObserver({ component: 'lifecycle', paths, clock: systemClock, log })
  const note = (now: OrchestratorConfig, more: Judgement = {}) =>
    writeRunState(files, {
      configPath: now.configPath,
      port: now.port,
      startedAt,
      projects: Object.keys(now.projects),
      log: options.logFile,
      ...options.shared,
      ...more,
    })
  mkdirSync(dirname(files.lock), { recursive: true, mode: 0o700 })
  const held = { files, observer, note, acting: new Map() }
  await withLock(files.lock, () => hold(options, held), { timeoutMs: LOCK_WAIT_MS })
}

function reachedBy(server: Served | undefined): Pick<RunState, 'reached'> {
  return server?.reached ? { reached: server.reached } : {}
}

/** Its former holder may be about to exit. */
const LOCK_WAIT_MS = 250

type Judgement = Partial<Pick<RunState, 'port' | 'reached' | 'stoppedAt' | 'configProblem' | 'configDigest'>>

interface Held {
  files: RunFiles
  observer: Observer
  /** Outlives a change of the configuration: what is in progress is not started again. */
  acting: LoopContext['acting']
  note(config: OrchestratorConfig, more?: Judgement): unknown
}

async function hold(options: RunOptions, held: Held): Promise<void> {
  const { observer, note: write } = held
  const { log, stop } = options
  let config = options.config
  // Taken before the file is read: a change in between is noticed afterwards.
  const digest = (): Judgement => {
    const now = configDigest(config.configPath)
    return now === null ? {} : { configDigest: now }
  }
  const { home, env } = options
  const agreed = (changed: OrchestratorConfig) => requireTrust(changed, { home, env, kinds: SERVICE_KINDS })
  agreed(config)
  let current = await open(options, config, held)
  const server = await options.serve?.(current)
  const note: Held['note'] = (now, more) =>
    write(now, { port: server?.port ?? now.port, ...reachedBy(server), ...more })
  note(config, options.digest === undefined ? {} : { configDigest: options.digest })
  options.say(`watching ${Object.keys(config.projects).join(', ') || 'no project'} of ${config.configPath}`)
  // Not awaited: a slow forge must not delay a stop or a new configuration.
  void current.loop.start()

  const complain = (error: unknown, about: Judgement) => {
    note(config, { ...about, configProblem: errorText(error) })
    server?.complain(errorText(error))
    log.error(`the last configuration change was not applied: ${errorText(error)}`)
  }
  let judged = options.digest
  let judgedUser = userDigest(options)
  let waitsForConsent = false
  const withdrawn = new AbortController()
  const endIfWithdrawn = () => {
    const items = untrustedItems(config, { home, env, kinds: SERVICE_KINDS })
    if (items.length === 0) return
    log.error(`the consent to what this loop does was withdrawn: ${items.map(({ what }) => what).join('; ')}`)
    withdrawn.abort()
  }
  const takeOver = async () => {
    const about = digest()
    // Only the user's consent has changed, and nothing waits for that.
    const ofUser = userDigest(options)
    if (about.configDigest === judged && ofUser === judgedUser && !waitsForConsent) return endIfWithdrawn()
    judged = about.configDigest
    judgedUser = ofUser
    waitsForConsent = false
    const next = await options
      .reload()
      .then((reloaded) => {
        waitsForConsent = untrustedItems(reloaded, { home, env, kinds: SERVICE_KINDS }).length > 0
        agreed(reloaded)
        return reloaded
      })
      .catch((error) => complain(error, about))
    if (!next) return endIfWithdrawn()
    if (stop.aborted) return
    await current.close()
    try {
      current = await openServed(options, { config: next, held, server })
      server?.complain(null)
      config = next
      note(config, about)
      options.say(`the configuration was read again: ${Object.keys(config.projects).join(', ')}`)
    } catch (error) {
      complain(error, about)
      current = await openServed(options, { config, held, server })
    }
    void current.loop.start()
  }
  const state = (content: string | null) => content && `${content} ${userDigest(options)} ${trustDigest(home)}`
  const watch = watchConfig(config.configPath, takeOver, {
    digest: () => state(configDigest(config.configPath)),
    initial: options.digest === undefined ? undefined : state(options.digest),
  })
  const shortener = options.logFile === null ? null : keepLogShort(options.logFile)
  await aborted(AbortSignal.any([stop, withdrawn.signal]))
  options.say('stopping; sessions keep running')
  await watch.close()
  shortener?.close()
  await server?.close()
  await current.close()
  observer.flush()
  note(config, { stoppedAt: systemClock.now().toISOString() })
}

interface Running extends ServedRepository {
  close(): Promise<void>
}

interface Opening {
  config: OrchestratorConfig
  held: Held
  server: Served | undefined
}

/** The server switches in one step, and until then serves the previous configuration. */
async function openServed(options: RunOptions, { config, held, server }: Opening): Promise<Running> {
  const opened = await open(options, config, held)
  try {
    await server?.use(opened)
    return opened
  } catch (error) {
    await opened.close()
    throw error
  }
}

async function open(
  { env, home, log, say, shared }: RunOptions,
  config: OrchestratorConfig,
  { files, observer, acting }: Held,
): Promise<Running> {
  const paths = createPaths({ configPath: config.configPath, home, env })
  const sessionPlace = sessionPlaces(() => ({ config, registry, paths, env, home, log }))
  const registry: PluginRegistry = createPluginRegistry({ env, home, log, page: runningPage(paths), sessionPlace })
  await registry.loadBuiltins(config, { lazy: true })
  const dashboardPort = runningPort(paths)
  const common = { config, registry, paths, env, home, log, observe: observer.record, dashboardPort }
  const messenger = createMessenger({
    config,
    registry,
    directory: files.outbox,
    push: createPushNotifiers({
      files: runFiles({ ...paths, hash: shared?.host ?? paths.hash }),
      base: shared?.host === undefined ? '' : repositoryBase(paths.hash),
      clock: systemClock,
    }),
    clock: systemClock,
    say,
    health: (surface, status, reason) => observer.health(surface, { status, reason }),
  })
  const context = createManagerContext(common)
  const manager = managerOf(context)
  const loop = createLoop({ context, manager, observer, notify: messenger.notify, say, acting })
  const disk = keepDisk(context, say)
  const { telemetry } = config
  const exporting =
    telemetry &&
    (await import('../telemetry/export-telemetry.ts')).exportTelemetry({ telemetry, paths, clock: systemClock, log })
  return {
    context,
    manager,
    loop,
    async close() {
      disk.close()
      await loop.stop()
      // A delivery that hangs is repeated by the next start; it is not awaited here.
      await Promise.race([messenger.stop(), sleep(1_000, { ref: false })])
      await exporting?.close()
    },
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve()
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
