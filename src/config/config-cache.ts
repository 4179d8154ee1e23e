// Remembers the validated content of a configuration file, because parsing it is most of what a quick command costs.
// An entry is valid only for exactly this text, this path and this version of ao, and only when it is undamaged: one hash
// over all of it and the content. It never holds the value of a variable. Losing it costs milliseconds, nothing else.
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import type { ConfigFile } from '../contract/config.ts'
import { writeFileAtomic } from '../lib/atomic-write.ts'
import type { ConfigText } from './read-config.ts'

export interface CachePlace {
  env: NodeJS.ProcessEnv
  home: string
  version: string
}

/** null: nothing usable is there. */
export function readConfigCache(source: ConfigText, place: CachePlace): ConfigFile | null {
  try {
    const entry = readFileSync(cacheFile(source, place), 'utf8')
    const end = entry.indexOf('\n')
    const content = entry.slice(end + 1)
    return entry.slice(0, end) === sealOf(source, place, content) ? (JSON.parse(content) as ConfigFile) : null
  } catch {
    // Missing, unreadable or damaged: the file itself is read instead.
    return null
  }
}

export function writeConfigCache(source: ConfigText, place: CachePlace, file: ConfigFile): void {
  const content = JSON.stringify(file)
  mkdirSync(cacheDirectory(place), { recursive: true, mode: 0o700 })
  writeFileAtomic(cacheFile(source, place), `${sealOf(source, place, content)}\n${content}`, { durable: false })
}

function sealOf(source: ConfigText, place: CachePlace, content: string): string {
  const parts = [place.version, source.path, source.text, content]
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex')
}

/** One entry for each configuration file, so that editing it does not pile up old ones. */
function cacheFile(source: ConfigText, place: CachePlace): string {
  const name = createHash('sha256').update(source.path).digest('hex').slice(0, 16)
  return join(cacheDirectory(place), `config-${name}.json`)
}

function cacheDirectory({ env, home }: CachePlace): string {
  const xdg = env.XDG_CACHE_HOME
  return join(xdg && isAbsolute(xdg) ? xdg : join(home, '.cache'), 'agent-orchestrator')
}
