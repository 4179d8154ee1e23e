// Which values of a configuration are secrets: those declared so, and undeclared ones by the name of their key, wherever it
// is. The names of projects, notifiers and the like are chosen by people and mean nothing.
import { childOf, type Entry, isEntry } from '../../contract/config/key.ts'
import { CONFIG } from '../../contract/config/keys.ts'
import { PLUGIN_OPTIONS } from '../../contract/config/plugin-options.ts'
import type { SlotName } from '../../contract/ids.ts'
import { namesVariable } from '../text/expand-env.ts'
import type { KeyPath } from './key-path.ts'

const SECRET_KEY = /token|secret|password|passwd|credential|api[-_]?key|private[-_]?key|webhook|authorization/i
/** Any of these may be one. */
const HEADERS = 'headers'

export const HIDDEN = '[hidden]'

export function isSecretPath(path: KeyPath): boolean {
  let entry: Entry | null = CONFIG
  for (const [index, part] of path.entries()) {
    const key = String(part)
    const child: ReturnType<typeof childOf> = entry === null ? undefined : childOf(entry, key)
    const isName = entry?.kind === 'named'
    const slot = entry?.kind === 'plugin' ? entry.slot : null
    entry = isEntry(child) ? child : null
    if (isName) continue
    if (entry?.secret ?? (SECRET_KEY.test(key) || (slot !== null && isSecretOption(slot, key)))) return true
    if (key === HEADERS && index < path.length - 1) return true
  }
  return false
}

/** Of whichever plugin: one from elsewhere has options that nobody declared here. */
function isSecretOption(slot: SlotName, option: string): boolean {
  return Object.values(PLUGIN_OPTIONS[slot]).some(
    (options) => Object.hasOwn(options, option) && typeof options[option] === 'object',
  )
}

/** The same content with literal secrets hidden; what comes from the environment is shown as written. */
export function hideWritten(value: unknown, path: KeyPath = []): unknown {
  if (Array.isArray(value)) return value.map((item, index) => hideWritten(item, [...path, index]))
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, hideWritten(inner, [...path, key])]))
  }
  return isHarmless(value) || !isSecretPath(path) ? value : HIDDEN
}

/** Nothing, a switch such as the gate `secrets: true`, or the name of a variable: no secret, whatever its key is called. */
export function isHarmless(value: unknown): boolean {
  return value == null || typeof value === 'boolean' || (typeof value === 'string' && namesVariable(value))
}
