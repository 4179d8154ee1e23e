// biome-ignore-all lint/suspicious/noTemplateCurlyInString: placeholders are the subject
// The effective configuration as data for people: everything filled in, nothing secret in it.
import type { OrchestratorConfig } from '../contract/config.ts'
import type { KeyPath } from '../core/config/key-path.ts'
import { HIDDEN, isSecretPath } from '../core/config/secret-path.ts'
import { namesVariable } from '../core/text/expand-env.ts'

/** A value from the environment is shown as written in the file, `${NAME}`; a literal secret not at all. */
export function showConfig(config: OrchestratorConfig): Record<string, unknown> {
  const { source, asks: _, ...effective } = config
  return hide(effective, source, []) as Record<string, unknown>
}

/** `written` is the same value in the file; undefined where the file has none. */
function hide(value: unknown, written: unknown, path: KeyPath): unknown {
  if (typeof value === 'string' && typeof written === 'string' && namesVariable(written) && written !== value)
    return written
  if (Array.isArray(value)) return value.map((item, index) => hide(item, at(written, index), [...path, index]))
  if (typeof value !== 'object' || value === null)
    return value != null && typeof value !== 'boolean' && isSecretPath(path) ? HIDDEN : value
  const entries = Object.entries(value).map(([key, inner]) => [key, hide(inner, at(written, key), [...path, key])])
  return Object.fromEntries(entries)
}

function at(written: unknown, key: string | number): unknown {
  if (typeof written !== 'object' || written === null || !Object.hasOwn(written, key)) return undefined
  return (written as Record<string | number, unknown>)[key]
}
