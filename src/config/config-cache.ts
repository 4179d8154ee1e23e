// Caches the validated content of a configuration file, because parsing it is most of what a quick command costs. An entry
// is valid only for exactly this text, this path and this version of ao, all of which it contains, and only when its
// leading checksum matches. It never holds the value of a variable. Losing it costs only milliseconds.

import { mkdirSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import type { ConfigFile } from '../contract/config.ts'
import { writeFileAtomic } from '../lib/atomic-write.ts'
import { readPlainText } from '../lib/plain-file.ts'
import { userHome } from '../lib/process/own-home.ts'
import type { ConfigText } from './read-config.ts'

export interface CachePlace {
  env: NodeJS.ProcessEnv
  home: string
  version: string
}

interface Entry {
  version: string
  path: string
  text: string
  file: ConfigFile
}

/** null: no usable entry. */
export function readConfigCache(source: ConfigText, place: CachePlace): ConfigFile | null {
  try {
    const stored = readPlainText(cacheFile(source, place))
    const end = stored.indexOf('\n')
    const content = stored.slice(end + 1)
    if (stored.slice(0, end) !== checksum(content)) return null
    const { version, path, text, file } = JSON.parse(content) as Entry
    return version === place.version && path === source.path && text === source.text ? file : null
  } catch {
    // Missing, unreadable or damaged: the file itself is read instead.
    return null
  }
}

export function writeConfigCache(source: ConfigText, place: CachePlace, file: ConfigFile): void {
  const entry: Entry = { version: place.version, path: source.path, text: source.text, file }
  const content = JSON.stringify(entry)
  mkdirSync(cacheDirectory(place), { recursive: true, mode: 0o700 })
  writeFileAtomic(cacheFile(source, place), `${checksum(content)}\n${content}`, { durable: false })
}

/** One entry per configuration file, so that editing it does not pile up old ones. */
function cacheFile(source: ConfigText, place: CachePlace): string {
  return join(cacheDirectory(place), `config-${checksum(source.path)}.json`)
}

function cacheDirectory({ env, home }: CachePlace): string {
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
