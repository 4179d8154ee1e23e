// Where the manager gets its plugins from. It acts through this and nothing else.
import type { OrchestratorConfig, PluginChoice, SlotName } from '../contract/config.ts'
import type { Plugin, PluginManifest, SlotMap } from './plugin.ts'

export interface LoadedPlugin {
  /** null: an external plugin that could not be loaded, so that nothing is known of it but its source. */
  manifest: PluginManifest | null
  /** 'built-in', an npm package's name, or an absolute path. */
  source: string
  /** false: known, but its code was not needed yet or could not be loaded. */
  loaded?: boolean
  /** Why it could not be loaded. */
  error?: string
}

/** Whether a plugin can work on this machine, in its own words. */
export interface DetectedPlugin {
  name: string
  ok: boolean
  detail: string
  fix?: string
}

export interface PluginRegistry {
  /** Register what ships with ao and what the configuration names. `lazy` leaves the code of built-ins to `ensure`. */
  loadBuiltins(config: OrchestratorConfig, options?: { lazy?: boolean }): Promise<void>
  /** Load a built-in that the configuration does not name. Does nothing when it is loaded or not a built-in. */
  ensure(slot: SlotName, name: string): Promise<void>
  register<S extends SlotName>(plugin: Plugin<S>, options?: Record<string, unknown>, source?: string): void
  /** The plugin's implementation, made on first use; null when none has this name.
   *  A choice `{ plugin, …options }` of a project gets an instance with these options. */
  get<T = never, S extends SlotName = SlotName>(
    slot: S,
    choice: PluginChoice,
  ): ([T] extends [never] ? SlotMap[S] : T) | null
  /** The same, but a missing plugin is PLUGIN_NOT_FOUND with the names there are. */
  require<S extends SlotName>(slot: S, choice: PluginChoice): SlotMap[S]
  /** Every built-in and every external one that the configuration names. */
  list(): LoadedPlugin[]
  /** Asks every plugin of the slot whether it can work here. Never throws. */
  detect(slot: SlotName): Promise<DetectedPlugin[]>
}
