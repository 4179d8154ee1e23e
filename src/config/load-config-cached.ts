// The configuration for commands: from the cache when the file is unchanged, without loading YAML parser or schema.
import type { OrchestratorConfig } from '../contract/config.ts'
import { ignoreFailure } from '../lib/ignore-failure.ts'
import { type Log, silentLog } from '../lib/log.ts'
import { AO_VERSION } from '../lib/version.ts'
import { readConfigCache, writeConfigCache } from './config-cache.ts'
import { type ConfigPlace, findConfig, resolvePlace } from './find-config.ts'
import { finishConfig } from './finish-config.ts'
import { readConfig } from './read-config.ts'

export interface CachedPlace extends ConfigPlace {
  log?: Log
  /** The version that entries belong to. null: no cache, because unbuilt sources change without a new version. */
  version?: string | null
}

export async function loadConfigCached(place: CachedPlace = {}): Promise<OrchestratorConfig> {
  const source = readConfig(findConfig(place).path)
  const resolved = resolvePlace(place)
  const version = place.version === undefined ? AO_VERSION : place.version
  const cache = version === null ? null : { ...resolved, version }

  const remembered = cache && readConfigCache(source, cache)
  if (remembered) {
    const finished = finishConfig({ file: remembered, configPath: source.path, ...resolved })
    // A problem is reported with its line, and only the full parser knows lines.
    if ('config' in finished) return finished.config
  }
  const [{ parseConfig }, { completeConfig }] = await Promise.all([
    import('./parse-config.ts'),
    import('./load-config.ts'),
  ])
  const parsed = parseConfig(source)
  if (cache) {
    await ignoreFailure('the configuration is not cached', place.log ?? silentLog, () =>
      writeConfigCache(source, cache, parsed.file),
    )
  }
  return completeConfig(source, parsed, place)
}
