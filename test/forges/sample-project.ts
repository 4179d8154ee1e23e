// A project and a plugin's context as the forge tests need them.
import type { ProjectConfig } from '../../src/contract/config.ts'
import { silentLog } from '../../src/lib/log.ts'
import type { PluginContext } from '../../src/slots/plugin.ts'

export function sampleProject(more: Partial<ProjectConfig>): ProjectConfig {
  return { id: 'app', name: 'app', path: '/nowhere', sessionPrefix: 'app', defaultBranch: 'main', ...more }
}

export function pluginContext(env: NodeJS.ProcessEnv, home = '/nowhere'): PluginContext {
  return { home, env, log: silentLog, configDir: home, dataDir: home }
}
