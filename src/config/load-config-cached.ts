// The configuration for commands: from the cache when the files are unchanged, without loading YAML parser or schema, which is
// most of what a quick command costs.
import { mkdirSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import type { ConfigFile, OrchestratorConfig } from '../contract/config.ts'
import { writeFileAtomic } from '../lib/atomic-write.ts'
import { ignoreFailure } from '../lib/ignore-failure.ts'
import { type Log, silentLog } from '../lib/log.ts'
import { readPlainText } from '../lib/plain-file.ts'
import { userHome } from '../lib/process/own-home.ts'
import { AO_VERSION } from '../lib/version.ts'
import { type ConfigLocation, type LayerTexts, readLayers, resolveLocation } from './find-config.ts'
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

// An entry is valid only for exactly these texts, these paths and this version of ao, all of which it contains, and only when its
// leading checksum matches. It never holds the value of a variable. Losing it costs only milliseconds.

interface CacheLocation {
  env: NodeJS.ProcessEnv
  home: string
  version: string
}

interface CachedContent {
  file: ConfigFile
  /** See `OrchestratorConfig.asks`. */
  asks?: ConfigFile | undefined
}

interface Entry extends CachedContent {
  version: string
  texts: LayerTexts
}

/** null: no usable entry. */
function readConfigCache(texts: LayerTexts, location: CacheLocation): CachedContent | null {
  try {
    const stored = readPlainText(cacheFile(texts, location))
    const end = stored.indexOf('\n')
    const content = stored.slice(end + 1)
    if (stored.slice(0, end) !== checksum(content)) return null
    const entry = JSON.parse(content) as Entry
    return entry.version === location.version && isSame(entry.texts, texts) ? entry : null
  } catch {
    // Missing, unreadable or damaged: the file itself is read instead.
    return null
  }
}

function writeConfigCache(texts: LayerTexts, location: CacheLocation, parsed: CachedContent): void {
  const entry: Entry = { version: location.version, texts, ...parsed }
  const content = JSON.stringify(entry)
  mkdirSync(cacheDirectory(location), { recursive: true, mode: 0o700 })
  writeFileAtomic(cacheFile(texts, location), `${checksum(content)}\n${content}`, { durable: false })
}

/** One entry per configuration file, so that editing it does not pile up old ones. */
function cacheFile({ main }: LayerTexts, location: CacheLocation): string {
  return join(cacheDirectory(location), `config-${checksum(main.path)}.json`)
}

function isSame(one: LayerTexts, other: LayerTexts): boolean {
  const isSameText = (key: 'main' | 'user') =>
    one[key]?.path === other[key]?.path && one[key]?.text === other[key]?.text
  return isSameText('main') && isSameText('user') && one.isUsersOnly === other.isUsersOnly
}

function cacheDirectory({ env, home }: CacheLocation): string {
  if (env.AO_HOME) return join(env.AO_HOME, '.cache', 'agent-orchestrator')
  const xdg = env.XDG_CACHE_HOME
  return join(xdg && isAbsolute(xdg) ? xdg : join(userHome(home, env), '.cache'), 'agent-orchestrator')
}

/**
 * Against accidents, not against people: anyone who can write here can also write the configuration. Two FNV hashes,
 * because loading a real hash would cost more than all the rest.
 */
function checksum(text: string): string {
  let [one, two] = [0x811c9dc5, 0x9e3779b9]
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    one = Math.imul(one ^ code, 0x01000193)
    two = Math.imul(two ^ code, 0x85ebca6b)
    two ^= two >>> 13
  }
  return [one, two].map((part) => (part >>> 0).toString(16).padStart(8, '0')).join('')
}
