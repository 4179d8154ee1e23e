// What there is to choose from: every plugin with where it came from, or why it could not be loaded; and whether it can work on this
// machine. That is asked with a limit, and a plugin that throws is an answer too.
import { type AoError, errorText } from '../contract/errors.ts'
import type { SlotName } from '../contract/ids.ts'
import { AO_VERSION } from '../lib/version.ts'
import type { Detected, Plugin, PluginContext } from '../slots/plugin.ts'
import type { DetectedPlugin, LoadedPlugin } from '../slots/registry.ts'
import type { FailedPlugin } from './missing-plugin.ts'

export interface Entry {
  plugin: Plugin
  options: Record<string, unknown>
  source: string
  origin: 'built-in' | 'external' | 'registered'
  /** By their options and their place. */
  instances: Map<string, unknown>
}

/** As far as they were loaded. */
export interface LoadedPlugins {
  context: PluginContext
  /** By `slot:name`. */
  entries: Map<string, Entry>
  /** Built-ins that could not be loaded, by `slot:name`. */
  broken: Map<string, AoError>
  /** External plugins that could not be loaded. */
  failed: FailedPlugin[]
}

export function listPlugins({ entries, broken, failed }: LoadedPlugins): LoadedPlugin[] {
  const version = AO_VERSION ?? 'dev'
  const failure = (error: AoError) => ({ loaded: false, error: error.message })
  return [
    ...[...entries.values()].map(({ plugin, source }) => ({
      manifest: { ...plugin.manifest, version: plugin.manifest.version ?? version },
      source,
      loaded: true,
    })),
    ...[...broken].map(([key, error]) => {
      const [slot, name] = key.split(':') as [SlotName, string]
      return { manifest: { slot, name, description: '', version }, source: 'built-in', ...failure(error) }
    }),
    ...failed.map(({ source, error }) => ({ manifest: null, source, ...failure(error) })),
  ]
}

export async function detectPlugins(
  { context, entries, broken }: LoadedPlugins,
  slot: SlotName,
): Promise<DetectedPlugin[]> {
  const loaded = [...entries.values()].filter(({ plugin }) => plugin.manifest.slot === slot)
  const unusable = [...broken].filter(([key]) => key.startsWith(`${slot}:`))
  return [
    ...(await Promise.all(loaded.map(({ plugin }) => detectPlugin(plugin, context)))),
    ...unusable.map(([key, error]) => ({ name: key.slice(slot.length + 1), ok: false, detail: error.message })),
  ]
}

const DETECT_TIMEOUT_MS = 5_000

async function detectPlugin(plugin: Plugin, context: PluginContext): Promise<DetectedPlugin> {
  const { name } = plugin.manifest
  if (!plugin.detect) return { name, ok: true, detail: 'needs nothing' }
  let timer: NodeJS.Timeout | undefined
  const tooLate = new Promise<Detected>((resolve) => {
    timer = setTimeout(
      () => resolve({ ok: false, detail: 'did not answer in time', timedOut: true }),
      DETECT_TIMEOUT_MS,
    )
  })
  try {
    return { name, ...(await Promise.race([plugin.detect(context), tooLate])) }
  } catch (error) {
    return { name, ok: false, detail: `could not be checked: ${errorText(error)}` }
  } finally {
    clearTimeout(timer)
  }
}
