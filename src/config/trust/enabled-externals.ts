// The external plugins that a configuration wants. Alone, so that having none costs nothing.
import type { ExternalPlugin, OrchestratorConfig } from '../../contract/config.ts'

export function enabledExternals(config: OrchestratorConfig): ExternalPlugin[] {
  return (config.plugins.external ?? []).filter((external) => external.enabled !== false)
}
