// Which values of a configuration are secrets: by their key, wherever it is. The names of projects, notifiers and the like
// are chosen by people and mean nothing.
import { namesVariable } from '../text/expand-env.ts'
import type { KeyPath } from './key-path.ts'

const SECRET_KEY = /token|secret|password|passwd|credential|api[-_]?key|private[-_]?key|webhook|authorization/i
/** Any of these may be one. */
const HEADERS = 'headers'
/** The address of a notifier lets whoever has it write there. */
const NOTIFIER_ADDRESS = 'url'
/** Groups whose keys are names. */
const NAMED: ReadonlySet<string> = new Set(['projects', 'notifiers', 'places', 'webhooks'])

export const HIDDEN = '[hidden]'

export function isSecretPath(path: KeyPath): boolean {
  const own = NAMED.has(String(path[0])) ? path.slice(2) : path
  return own.some((part, index) => {
    const key = String(part)
    if (path[0] === 'notifiers' && key === NOTIFIER_ADDRESS) return true
    return SECRET_KEY.test(key) || (key === HEADERS && index < own.length - 1)
  })
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
