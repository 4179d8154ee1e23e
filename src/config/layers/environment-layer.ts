// The layer on top: a few keys that a variable sets for one command or one shell. The variables are the user's own word.
import { CONFIG } from '../../contract/config/keys.ts'
import type { ConfigFile } from '../../contract/config.ts'
import { AoError } from '../../contract/errors.ts'
import { entriesOf } from '../../core/config/entries.ts'

export interface VariableKey {
  variable: string
  path: readonly string[]
  read(text: string): unknown
}

export const VARIABLE_KEYS: readonly VariableKey[] = entriesOf(CONFIG).flatMap(({ path, entry }) =>
  entry.kind === 'key' && entry.variable !== undefined && entry.value.fromText
    ? [{ variable: entry.variable, path, read: entry.value.fromText }]
    : [],
)

/** An empty variable counts as not set. Throws USAGE for a value that the key cannot have. */
export function applyEnvironment(file: ConfigFile, env: NodeJS.ProcessEnv): ConfigFile {
  const changed = variablesSet(env).reduce<Record<string, unknown>>(
    (content, { path, value }) => withValue(content, path, value),
    file,
  )
  return changed as ConfigFile
}

export function variablesSet(env: NodeJS.ProcessEnv): Array<VariableKey & { value: unknown }> {
  return VARIABLE_KEYS.flatMap((key) => {
    const text = env[key.variable]
    return text ? [{ ...key, value: readVariable(key, text) }] : []
  })
}

function readVariable({ variable, read }: VariableKey, text: string): unknown {
  try {
    return read(text)
  } catch (error) {
    throw new AoError('USAGE', `The environment variable ${variable} ${(error as Error).message}`, {
      hint: `Correct it, or remove it: unset ${variable}`,
      details: { variable },
    })
  }
}

function withValue(content: Record<string, unknown>, path: readonly string[], value: unknown): Record<string, unknown> {
  const [key, ...rest] = path
  if (key === undefined) return content
  const inner = (content[key] ?? {}) as Record<string, unknown>
  return { ...content, [key]: rest.length === 0 ? value : withValue(inner, rest, value) }
}
