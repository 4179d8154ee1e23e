// What every command that uses plugins begins with: the configuration, its paths and the registry.
import type { OrchestratorConfig } from '../../contract/config.ts'
import { createLog, type Log } from '../../lib/log.ts'
import { runningPage } from '../../lifecycle/loop/run-state.ts'
import { createPluginRegistry } from '../../plugins/registry.ts'
import type { PluginContext } from '../../slots/plugin.ts'
import type { PluginRegistry } from '../../slots/registry.ts'
import { type AoPaths, createPaths } from '../../store/paths.ts'
import type { Io } from '../io.ts'
import { openConfig } from './open-config.ts'

export interface OpenPlugins {
  config: OrchestratorConfig
  paths: AoPaths
  registry: PluginRegistry
  log: Log
}

/** `loaded`: the configuration, where the command has read it already. */
export async function openPlugins(io: Io, loaded?: OrchestratorConfig): Promise<OpenPlugins> {
  const { env, home } = io
  const config = loaded ?? (await openConfig(io))
  const log = createLog(env.AO_LOG_LEVEL)
  const paths = createPaths({ configPath: config.configPath, home, env })
  // Few plugins ever ask, and it takes the manager.
  const sessionPlace: PluginContext['sessionPlace'] = async (...session) => {
    const { sessionPlaces } = await import('../../manager/session-manager.ts')
    return sessionPlaces(() => ({ config, registry, env, home, log }))(...session)
  }
  const registry = createPluginRegistry({ home, env, log, page: () => runningPage(paths), sessionPlace })
  await registry.loadBuiltins(config, { lazy: true })
  return { config, paths, registry, log }
}
