// Plain data with one key changed. Pure.
import type { Content, KeyPath } from './key-path.ts'

/** Without `value` the key is removed, with what is empty after it; `projects` stays. null: a list is not that long. */
export function withChange(content: Content, { path, value }: { path: KeyPath; value?: unknown }): Content | null {
  const changed = changeAt(content, path, value, true)
  return changed === TOO_FAR ? null : ((changed ?? {}) as Content)
}

const TOO_FAR = Symbol('behind the end of a list')

function changeAt(inside: unknown, path: KeyPath, value: unknown, isTop = false): unknown {
  const [part, ...rest] = path
  if (part === undefined) return value
  if (Array.isArray(inside)) {
    const index = Number(part)
    if (!(index <= inside.length)) return TOO_FAR
    const next = changeAt(inside[index], rest, value)
    if (next === TOO_FAR) return TOO_FAR
    const items = inside.toSpliced(index, 1, ...(next === undefined ? [] : [next]))
    return items.length === 0 && value === undefined ? undefined : items
  }
  const keys: Content = typeof inside === 'object' && inside !== null ? (inside as Content) : {}
  const key = String(part)
  const own = Object.hasOwn(keys, key) ? keys[key] : undefined
  if (own === undefined && value === undefined) return inside
  const next = changeAt(own, rest, value)
  if (next === TOO_FAR) return TOO_FAR
  if (next === undefined && isTop && key === 'projects') return { ...keys, projects: {} }
  const { [key]: _, ...others } = keys
  if (next === undefined) return Object.keys(others).length === 0 && !isTop ? undefined : others
  return Object.hasOwn(keys, key)
    ? Object.fromEntries(Object.entries(keys).map(([name, one]) => [name, name === key ? next : one]))
    : { ...keys, [key]: next }
}
