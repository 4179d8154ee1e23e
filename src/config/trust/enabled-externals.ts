// The external plugins that a configuration enables. In its own file, so that having none costs nothing.
import type { ExternalPlugin, OrchestratorConfig } from '../../contract/config.ts'

export function enabledExternals(config: OrchestratorConfig): ExternalPlugin[] {
  return (config.plugins.external ?? []).filter((external) => external.enabled !== false)
}
