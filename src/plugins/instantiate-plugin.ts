// A registered plugin and its instances: one for each set of options.
import type { PluginChoice } from '../contract/config.ts'
import { AoError, errorText } from '../contract/errors.ts'
import type { Plugin, PluginContext } from '../slots/plugin.ts'

export interface Entry {
  plugin: Plugin
  options: Record<string, unknown>
  source: string
  origin: 'built-in' | 'external' | 'registered'
  /** By their options and their place. */
  instances: Map<string, unknown>
}

export function instanceOf(entry: Entry, options: Record<string, unknown>, context: PluginContext): unknown {
  const id = JSON.stringify([options, context.place ?? null])
  if (!entry.instances.has(id)) entry.instances.set(id, create(entry.plugin, options, context))
  return entry.instances.get(id)
}

export function ownOptions(choice: PluginChoice): Record<string, unknown> {
  if (typeof choice === 'string') return {}
  const { plugin: _, ...options } = choice
  return options
}

export function unusable(what: string, error: unknown): AoError {
  return new AoError('PLUGIN_INVALID', `The plugin ${what} cannot be used: ${errorText(error)}`, { cause: error })
}

function create(plugin: Plugin, options: Record<string, unknown>, context: PluginContext): unknown {
  try {
    return plugin.create(options, context)
  } catch (error) {
    if (error instanceof AoError) throw error
    throw unusable(`${plugin.manifest.slot} ${plugin.manifest.name}`, error)
  }
}
