// The configuration for commands: from the cache when the files are unchanged, without loading YAML parser or schema.
import type { OrchestratorConfig } from '../contract/config.ts'
import { ignoreFailure } from '../lib/ignore-failure.ts'
import { type Log, silentLog } from '../lib/log.ts'
import { AO_VERSION } from '../lib/version.ts'
import { readConfigCache, writeConfigCache } from './config-cache.ts'
import { type ConfigLocation, readLayers, resolveLocation } from './find-config.ts'
import { resolveConfig } from './resolve-config.ts'

export interface CachedLocation extends ConfigLocation {
  log?: Log
  /** The version that entries belong to. null: no cache, because unbuilt sources change without a new version. */
  version?: string | null
}

/** The configuration that a command works with. */
export function openConfig(caller: {
  /** What --config names. */
  configPath: string | undefined
  cwd: string
  env: NodeJS.ProcessEnv
  home: string
}): Promise<OrchestratorConfig> {
  const { configPath, cwd, env, home } = caller
  return loadConfigCached({ path: configPath, cwd, env, home })
}

export async function loadConfigCached(location: CachedLocation = {}): Promise<OrchestratorConfig> {
  const texts = readLayers(location)
  const machine = resolveLocation(location)
  const version = location.version === undefined ? AO_VERSION : location.version
  const cache = version === null ? null : { ...machine, version }

  const remembered = cache && readConfigCache(texts, cache)
  if (remembered) {
    const resolved = resolveConfig({ ...remembered, configPath: texts.main.path, ...machine })
    // A problem is reported with its line, and only the full parser knows lines.
    if ('config' in resolved) return resolved.config
  }
  const { completeConfig, parseConfig } = await import('./load-config.ts')
  const parsed = parseConfig(texts, machine.home)
  if (cache) {
    const { file, asks } = parsed
    await ignoreFailure('the configuration is not cached', location.log ?? silentLog, () =>
      writeConfigCache(texts, cache, { file, asks }),
    )
  }
  return completeConfig(parsed, location)
}
