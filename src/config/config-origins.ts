// Which file, line or variable each value of the effective configuration is from, for `ao config show --origin`.
import { type Content, formatKey } from '../core/config/key-path.ts'
import { originOf, type ParsedLayer, type ParsedLayers } from './load-config.ts'
import { variablesSet } from './resolve-config.ts'

export type Origin =
  | { layer: 'default' }
  | { layer: 'user' | 'repository'; file: string; line: number | null }
  | { layer: 'environment'; variable: string }

export interface ConfigValue {
  key: string
  value: unknown
  origins: Origin[]
}

/** `shown` is the effective configuration without secrets. */
export function configOrigins(shown: Content, layers: ParsedLayers, env: NodeJS.ProcessEnv): ConfigValue[] {
  const variables = variablesSet(env).map(({ variable, path }) => ({ variable, key: formatKey(path) }))
  return leavesOf(shown, []).map(({ path, value }) => {
    const key = formatKey(path)
    const variable = variables.find((one) => one.key === key)?.variable
    if (variable !== undefined) return { key, value, origins: [{ layer: 'environment', variable }] }
    return { key, value, origins: writtenOrigins(layers, path) }
  })
}

/** Keys of the repository's file that are not in effect, because the user's own file decides about them. */
export function overruledKeys({ merged }: ParsedLayers): string[] {
  return (merged?.overruled ?? []).map(formatKey)
}

function writtenOrigins(layers: ParsedLayers, path: readonly string[]): Origin[] {
  const written = originsAt(layers, path)
  if (written.length > 0) return written
  // What a project does not say about variables is what the defaults say.
  const [first, , ...rest] = path
  const inherited = first === 'projects' && rest[0] === 'environment' ? originsAt(layers, ['defaults', ...rest]) : []
  return inherited.length > 0 ? inherited : [{ layer: 'default' }]
}

function originsAt({ main, user, merged }: ParsedLayers, path: readonly string[]): Origin[] {
  const names = merged === null ? (['repository'] as const) : originOf(merged, path)
  return names.flatMap((name): Origin[] => {
    const layer = name === 'user' ? user : main
    if (layer === null) return []
    // A limit of the user's is written under the defaults, whatever project it limits.
    const at = hasValue(layer, path) ? path : limitPath(name, path)
    if (!hasValue(layer, at)) return []
    return [{ layer: name, file: layer.path, line: layer.locate(at)?.line ?? null }]
  })
}

function limitPath(layer: 'user' | 'repository', path: readonly string[]): readonly string[] {
  if (layer === 'repository') return path
  const last = path.at(-1)
  return last === 'permissions' ? ['defaults', 'worker', 'agentConfig', last] : ['defaults', 'environment', 'allow']
}

function hasValue({ content }: ParsedLayer, path: readonly string[]): boolean {
  let value: unknown = content
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return false
    value = (value as Record<string, unknown>)[key]
  }
  return true
}

/** Lists and empty groups are values of their own. */
function leavesOf(value: unknown, path: readonly string[]): Array<{ path: readonly string[]; value: unknown }> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [{ path, value }]
  const entries = Object.entries(value)
  if (entries.length === 0) return path.length === 0 ? [] : [{ path, value }]
  return entries.flatMap(([key, inner]) => leavesOf(inner, [...path, key]))
}
