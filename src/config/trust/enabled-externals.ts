// The external plugins that a configuration enables. In its own file, so that having none costs nothing.
import type { ExternalPlugin, OrchestratorConfig } from '../../contract/config.ts'

export interface EnabledExternal {
  external: ExternalPlugin
  /** Named in the user's own file, not in the repository's. */
  isUsers: boolean
  /** Its options as they are written, variables not replaced: consent is given to these. */
  written: Record<string, unknown>
}

export function enabledExternals(config: OrchestratorConfig): EnabledExternal[] {
  const all = config.plugins.external ?? []
  // The user's come first where both files name some.
  const ofUser = config.asks === undefined ? 0 : all.length - (config.asks.plugins.external?.length ?? 0)
  const ofRepository = (config.asks ?? config.source ?? config).plugins.external ?? []
  return all
    .map((external, index) => ({
      external,
      isUsers: index < ofUser,
      written: ofRepository[index - ofUser]?.config ?? external.config ?? {},
    }))
    .filter(({ external }) => external.enabled !== false)
}
