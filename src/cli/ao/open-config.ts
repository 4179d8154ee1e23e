// The configuration that a command works with.
import { loadConfigCached } from '../../config/load-config-cached.ts'
import type { OrchestratorConfig } from '../../contract/config.ts'
import type { Io } from '../io.ts'

export function openConfig({ configPath, cwd, env, home }: Io): Promise<OrchestratorConfig> {
  return loadConfigCached({ path: configPath, cwd, env, home })
}
