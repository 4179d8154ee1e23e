// An engine of places as a plugin, ours and those of packages alike: the runtime is made of it here, and the engine alone is made
// again in the process that keeps the connection to a session.
import type { PlaceEngine } from '../../slots/place.ts'
import {
  type Detected,
  type EngineContext,
  type OptionsSchema,
  type Plugin,
  type PluginContext,
  type PluginManifest,
  parseOptions,
} from '../../slots/plugin.ts'
import type { RuntimeLaunch } from '../../slots/runtime.ts'
import { createPlaceRuntime } from './home/place-runtime.ts'
import { withoutSession } from './home/start-line.ts'

const GRACE_MS = 3_000

export interface EngineDefinition<T> {
  manifest: Omit<PluginManifest<'runtime'>, 'slot'>
  /** Of a place; what it gives must be accepted again, because it is kept with the session. */
  options: OptionsSchema<T>
  engine(options: T, context: EngineContext): PlaceEngine
  /** Servers that home connects to for an agent whose place has no network. Absent: home connects to none. */
  modelHosts?(options: T): readonly string[] | undefined
  /** Files of the repository that decide how places are made; each needs consent. */
  repositoryFiles?(options: T): readonly string[] | undefined
  /** For one launch: the options that the place is started with. */
  prepare?(options: T, launch: RuntimeLaunch, context: EngineContext): Promise<T>
  detect?(context: PluginContext): Promise<Detected>
}

export function definePlaceEngine<T extends { graceMs?: number | undefined }>(
  definition: EngineDefinition<T>,
): Plugin<'runtime'> {
  const manifest = { ...definition.manifest, slot: 'runtime' as const }
  const { name } = manifest
  const engineOf = (options: T, context: EngineContext) =>
    definition.engine(options, { ...context, env: withoutSession(context.env) })
  return {
    manifest,
    options: definition.options,
    ...(definition.detect && { detect: definition.detect }),
    engine: (given, context) => engineOf(parseOptions(manifest, definition.options, given), context),
    create(given, context) {
      const options = parseOptions(manifest, definition.options, given)
      const { prepare } = definition
      const hosts = definition.modelHosts?.(options)
      return createPlaceRuntime({
        engine: engineOf(options, context),
        type: name,
        options: { ...options },
        name: context.place?.name ?? name,
        graceMs: options.graceMs ?? GRACE_MS,
        modelOnly: hosts && { hosts },
        repositoryFiles: definition.repositoryFiles?.(options),
        prepare:
          prepare &&
          (async (launch) => {
            const own = await prepare(options, launch, { ...context, env: withoutSession(context.env) })
            return { engine: engineOf(own, context), options: { ...own } }
          }),
        plugin: context,
      })
    },
  }
}
