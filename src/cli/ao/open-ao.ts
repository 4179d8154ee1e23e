// What commands need of the library: configuration, plugins, manager.
import { loadConfigCached } from '../../config/load-config-cached.ts'
import type { OrchestratorConfig } from '../../contract/config.ts'
import { createLog, type Log } from '../../lib/log.ts'
import { createSessionManager, type SessionManagerOptions } from '../../manager/session-manager.ts'
import type { SessionManager } from '../../manager/types.ts'
import { createPluginRegistry } from '../../plugins/registry.ts'
import type { PluginRegistry } from '../../slots/registry.ts'
import { type AoPaths, createPaths } from '../../store/paths.ts'
import type { Io } from '../io.ts'

export interface Ao {
  config: OrchestratorConfig
  paths: AoPaths
  registry: PluginRegistry
  manager: SessionManager
  log: Log
}

export async function openAo(io: Io): Promise<Ao> {
  const { env, home } = io
  const config = await openConfig(io)
  const log = createLog(env.AO_LOG_LEVEL)
  const paths = createPaths({ configPath: config.configPath, home, env })
  const registry = createPluginRegistry({ home, env, log })
  await registry.loadBuiltins(config, { lazy: true })
  const observe = observeAtEnd(io, paths, log)
  return { config, paths, registry, log, manager: createSessionManager({ config, registry, env, home, log, observe }) }
}

export async function openConfig(io: Io): Promise<OrchestratorConfig> {
  return loadConfigCached({ path: io.configPath, cwd: io.cwd, env: io.env, home: io.home })
}

type Observe = NonNullable<SessionManagerOptions['observe']>

/** What the command did goes into its snapshot at the end; a command that only reads loads nothing for it. */
function observeAtEnd(io: Io, paths: AoPaths, log: Log): Observe {
  const records: Array<Parameters<Observe>> = []
  return (...record) => {
    if (records.push(record) > 1) return
    io.atEnd(async () => {
      const { createObserver } = await import('../../store/observability/observability.ts')
      const observer = createObserver({ component: 'cli', paths, clock: io.clock, log, failureLevel: 'info' })
      for (const [operation, observation] of records) observer.record(operation, observation)
      observer.flush()
    })
  }
}
