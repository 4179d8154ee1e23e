// The user's settings as the base of another file: a path in them is relative to the user's file.
import { dirname } from 'node:path'
import type { Content } from '../core/config/key-path.ts'
import { resolveUserPath } from './resolve-config.ts'

export function userBase(content: Content, location: { path: string; home: string }): Content {
  const plugins = keysOf(content.plugins)
  if (plugins === null) return content
  const base = dirname(location.path)
  const absolute = (value: unknown) =>
    // A variable is replaced later; it is the user's to make it an absolute path.
    typeof value === 'string' && !value.startsWith('${') ? resolveUserPath(value, { home: location.home, base }) : value
  const external = Array.isArray(plugins.external)
    ? plugins.external.map((one) => change(one, ['path'], absolute))
    : plugins.external
  const workspace = change(plugins.workspace, ['config'], (config) =>
    change(config, ['worktreeDir', 'cloneDir'], absolute),
  )
  const changed = Object.entries({ ...plugins, external, workspace }).filter(([, value]) => value !== undefined)
  return { ...content, plugins: Object.fromEntries(changed) }
}

/** The same with some of its values changed, where it has them. */
function change(value: unknown, keys: readonly string[], action: (inner: unknown) => unknown): unknown {
  const content = keysOf(value)
  if (content === null) return value
  return Object.fromEntries(
    Object.entries(content).map(([key, inner]) => [key, keys.includes(key) ? action(inner) : inner]),
  )
}

function keysOf(value: unknown): Content | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Content) : null
}
