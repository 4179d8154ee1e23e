// The engine of a session's place, as its line needs it: from the registry, so that one from a package is loaded under the same
// consent as everywhere.
import { loadConfigCached } from '../config/load-config-cached.ts'
import { ownHome } from '../lib/process/own-home.ts'
import type { PlaceEngine } from '../slots/place.ts'
import type { LineSpec } from './place/home/line-files.ts'
import { createPluginRegistry } from './registry.ts'

type EngineSpec = Pick<LineSpec, 'engine' | 'options' | 'configDir' | 'externalOf'>

export async function openEngine(spec: EngineSpec, env: NodeJS.ProcessEnv): Promise<PlaceEngine> {
  const home = ownHome(env)
  const registry = createPluginRegistry({ env, home })
  if (spec.externalOf !== undefined) {
    const config = await loadConfigCached({ path: spec.externalOf, env, home })
    await registry.loadBuiltins(config, { lazy: true })
  }
  return registry.engine(spec.engine, spec.options, spec.configDir)
}
