// biome-ignore-all lint/suspicious/noTemplateCurlyInString: placeholders are the subject
// The effective configuration as data for people: everything filled in, nothing secret in it.
import type { OrchestratorConfig } from '../contract/config.ts'

const SECRET_KEY = /token|secret|password|passwd|credential|api[-_]?key|private[-_]?key|webhook|authorization/i
/** `$${` is an escape, not a placeholder. */
const PLACEHOLDER = /(?<!\$)\$\{/
const HIDDEN = '[hidden]'

/** A value from the environment is shown as written in the file, `${NAME}`; a literal secret not at all. */
export function showConfig(config: OrchestratorConfig): Record<string, unknown> {
  const { source, asks: _, ...effective } = config
  return hide(effective, source, false) as Record<string, unknown>
}

/** `written` is the same value in the file; undefined where the file has none. */
function hide(value: unknown, written: unknown, secret: boolean): unknown {
  if (typeof value === 'string') {
    if (typeof written === 'string' && PLACEHOLDER.test(written) && written !== value) return written
    return secret ? HIDDEN : value
  }
  if (Array.isArray(value)) return value.map((item, index) => hide(item, at(written, index), secret))
  if (typeof value !== 'object' || value === null) return secret && value !== null ? HIDDEN : value
  const entries = Object.entries(value).map(([key, inner]) => [
    key,
    hide(inner, at(written, key), secret || SECRET_KEY.test(key)),
  ])
  return Object.fromEntries(entries)
}

function at(written: unknown, key: string | number): unknown {
  if (typeof written !== 'object' || written === null || !Object.hasOwn(written, key)) return undefined
  return (written as Record<string | number, unknown>)[key]
}
