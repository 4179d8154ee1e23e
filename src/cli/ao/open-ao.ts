// What commands need of the library, loaded when the first one asks: configuration, plugins, manager.
import type { OrchestratorConfig } from '../../contract/config.ts'
import type { SessionManager } from '../../manager/types.ts'
import type { PluginRegistry } from '../../slots/registry.ts'
import type { AoPaths } from '../../store/paths.ts'
import type { Io } from '../io.ts'

export interface Ao {
  config: OrchestratorConfig
  paths: AoPaths
  registry: PluginRegistry
  manager: SessionManager
}

export async function openAo(io: Io): Promise<Ao> {
  const [{ createSessionManager }, { createPluginRegistry }, { createPaths }, config] = await Promise.all([
    import('../../manager/session-manager.ts'),
    import('../../plugins/registry.ts'),
    import('../../store/paths.ts'),
    openConfig(io),
  ])
  const registry = createPluginRegistry()
  await registry.loadBuiltins(config)
  return {
    config,
    paths: createPaths({ configPath: config.configPath, home: io.home, env: io.env }),
    registry,
    manager: createSessionManager({ config, registry }),
  }
}

export async function openConfig(io: Io): Promise<OrchestratorConfig> {
  const { loadConfigCached } = await import('../../config/load-config-cached.ts')
  return loadConfigCached({ path: io.configPath, cwd: io.cwd, env: io.env, home: io.home })
}
