// The external plugins that a configuration enables. In its own file, so that having none costs nothing.
import type { ExternalPlugin, OrchestratorConfig } from '../../contract/config.ts'

export interface EnabledExternal {
  external: ExternalPlugin
  /** Named in the user's own file, not in the repository's. */
  isUsers: boolean
}

export function enabledExternals(config: OrchestratorConfig): EnabledExternal[] {
  const all = config.plugins.external ?? []
  // The user's come first where both files name some.
  const ofUser = config.asks === undefined ? 0 : all.length - (config.asks.plugins.external?.length ?? 0)
  return all
    .map((external, index) => ({ external, isUsers: index < ofUser }))
    .filter(({ external }) => external.enabled !== false)
}
