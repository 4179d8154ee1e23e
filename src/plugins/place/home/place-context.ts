// What everything about a session in a place needs: the engine, its own name and options, and home.

import type { PlaceEngine } from '../../../slots/place.ts'
import type { PluginContext } from '../../../slots/plugin.ts'
import type { RuntimeLaunch } from '../../../slots/runtime.ts'

export interface PlaceContext {
  engine: PlaceEngine
  /** The engine's plugin, and its options, with which the line creates it again. */
  type: string
  options: Record<string, unknown>
  /** The place's name, or the engine's without one. */
  name: string
  graceMs: number
  /** Its places have no network, and home connects to the servers of models, and to these. */
  modelOnly?: { hosts: readonly string[] } | undefined
  /** Files of the repository that decide how its places are made. */
  repositoryFiles?: readonly string[] | undefined
  /** For one launch: what differs from what the configuration says. */
  prepare?: ((launch: RuntimeLaunch) => Promise<{ engine: PlaceEngine; options: Record<string, unknown> }>) | undefined
  plugin: PluginContext
}

/** Its agents are spoken to over the Agent Client Protocol. */
export function isOverProtocol({ plugin }: PlaceContext): boolean {
  return plugin.place?.overProtocol === true
}
