// What commands need from the library: configuration, plugins, manager.
import { openConfig } from '../../config/load-config-cached.ts'
import type { OrchestratorConfig } from '../../contract/config.ts'
import { createLog, type Log } from '../../lib/log.ts'
import { canWrite } from '../../lib/process/own-home.ts'
import { runningPage, runningPort } from '../../lifecycle/loop/run-state.ts'
import type { ManagerContext, SessionManagerOptions } from '../../manager/context.ts'
import { createManagerContext } from '../../manager/context.ts'
import { managerOf, type SessionManager, sessionPlaces } from '../../manager/session-manager.ts'
import { createPluginRegistry } from '../../plugins/registry.ts'
import type { PluginRegistry } from '../../slots/registry.ts'
import type { Observer } from '../../store/observability/observability.ts'
import { type AoPaths, createPaths } from '../../store/paths.ts'
import type { Io } from '../print/io.ts'

export interface OpenPlugins {
  config: OrchestratorConfig
  paths: AoPaths
  registry: PluginRegistry
  log: Log
}

export interface Ao extends OpenPlugins {
  manager: SessionManager
  /** What the manager works with; both share what they know of the records. */
  context: ManagerContext
}

/** `loaded`: the configuration, where the command has read it already. */
export async function openAo(io: Io, loaded?: OrchestratorConfig, log?: Log): Promise<Ao> {
  const opened = await openPlugins(io, loaded, log)
  const { env, home, clock } = io
  const observe = observeAtEnd(io, opened)
  const dashboardPort = runningPort(opened.paths)
  const context = createManagerContext({ ...opened, env, home, clock, observe, dashboardPort })
  return { ...opened, context, manager: managerOf(context) }
}

/** What commands that use plugins and no manager work with. */
export async function openPlugins(
  io: Io,
  loaded?: OrchestratorConfig,
  log: Log = createLog(io.env.AO_LOG_LEVEL),
): Promise<OpenPlugins> {
  const { env, home } = io
  const config = loaded ?? (await openConfig(io))
  const paths = createPaths({ configPath: config.configPath, home, env })
  const sessionPlace = sessionPlaces(() => ({ config, registry, paths, env, home, log }))
  const registry: PluginRegistry = createPluginRegistry({
    home,
    env,
    log,
    page: runningPage(paths),
    sessionPlace,
  })
  await registry.loadBuiltins(config, { lazy: true })
  return { config, paths, registry, log }
}

type Observe = NonNullable<SessionManagerOptions['observe']>

/** A read-only command loads nothing for it, unless it runs for so long that others may ask what is running. */
const LONG_COMMAND_MS = 1_000

/** What the command did goes into its snapshot at the end. */
function observeAtEnd(io: Io, { paths, log }: OpenPlugins): Observe {
  const records: Array<Parameters<Observe>> = []
  let opened: Promise<Observer> | undefined
  const open = async () => {
    const { createObserver } = await import('../../store/observability/observability.ts')
    return createObserver({ component: 'cli', paths, clock: io.clock, log, failureLevel: 'info' })
  }
  const timer = setTimeout(() => {
    opened ??= open()
    void opened.then((observer) => observer.announce())
  }, LONG_COMMAND_MS)
  timer.unref()
  io.atEnd(async () => {
    clearTimeout(timer)
    if (records.length === 0) return (await opened)?.withdraw()
    // Already reported by the part that wanted to write more than this.
    if (!canWrite(paths)) return
    opened ??= open()
    const observer = await opened
    for (const [operation, observation] of records) observer.record(operation, observation)
    observer.flush()
  })
  return (...record) => void records.push(record)
}
