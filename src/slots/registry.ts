// Where the manager gets its plugins from. It acts through this and nothing else.
import type { OrchestratorConfig, PluginChoice, SlotName } from '../contract/config.ts'
import type { PlaceEngine } from './place.ts'
import type { Detected, Plugin, PluginManifest, SlotMap } from './plugin.ts'

export interface LoadedPlugin {
  /** null: an external plugin that could not be loaded, so only its source is known. */
  manifest: PluginManifest | null
  /** 'built-in', an npm package's name, or an absolute path. */
  source: string
  /** false: its code could not be loaded. */
  loaded: boolean
  /** Why it could not be loaded. */
  error?: string
}

/** Whether a plugin can work on this machine, in its own words. */
export interface DetectedPlugin extends Detected {
  name: string
}

export interface PluginRegistry {
  /**
   * Registers what ships with ao and what the configuration names. `lazy` leaves the code of built-ins to `load` and
   * `find`.
   */
  loadBuiltins(config: OrchestratorConfig, options?: { lazy?: boolean }): Promise<void>
  register<S extends SlotName>(plugin: Plugin<S>, options?: Record<string, unknown>, source?: string): void
  /**
   * The plugin's implementation, its code loaded and the instance created on first use; PLUGIN_NOT_FOUND with the available
   * names when none has this name. A project's choice `{ plugin, …options }` gets an instance with these options.
   */
  load<S extends SlotName>(slot: S, choice: PluginChoice): Promise<SlotMap[S]>
  /** The same, but null when none has this name. Rejects when its code cannot be loaded. */
  find<S extends SlotName>(slot: S, choice: PluginChoice): Promise<SlotMap[S] | null>
  /** What is already loaded, without waiting; null otherwise. For programs that called `loadBuiltins` without `lazy`. */
  get<T = never, S extends SlotName = SlotName>(
    slot: S,
    choice: PluginChoice,
  ): ([T] extends [never] ? SlotMap[S] : T) | null
  /** The engine behind places of this type; `options` are those of the place. Rejects as `load` does. */
  engine(type: string, options: Record<string, unknown>, configDir: string): Promise<PlaceEngine>
  /** Every built-in and every external one that the configuration names, all of them loaded. */
  list(): Promise<LoadedPlugin[]>
  /** Asks every plugin of the slot whether it can work here. Never throws. */
  detect(slot: SlotName): Promise<DetectedPlugin[]>
}
