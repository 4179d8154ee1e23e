// Where the manager gets its plugins from. It acts through this and nothing else.
import type { OrchestratorConfig, SlotName } from '../contract/config.ts'
import type { Plugin, PluginManifest, SlotMap } from './plugin.ts'

export interface LoadedPlugin {
  manifest: PluginManifest
  /** 'built-in', an npm package's name, or an absolute path. */
  source: string
}

export interface PluginRegistry {
  /** Register what ships with ao and what the configuration names. */
  loadBuiltins(config: OrchestratorConfig): Promise<void>
  register<S extends SlotName>(plugin: Plugin<S>, options?: Record<string, unknown>, source?: string): void
  /** The plugin's implementation, made on first use; null when none has this name. */
  get<T = never, S extends SlotName = SlotName>(slot: S, name: string): ([T] extends [never] ? SlotMap[S] : T) | null
  /** The same, but a missing plugin is PLUGIN_NOT_FOUND with the names there are. */
  require<S extends SlotName>(slot: S, name: string): SlotMap[S]
  list(): LoadedPlugin[]
}
