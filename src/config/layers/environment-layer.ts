// The layer on top: a few keys that a variable sets for one command or one shell. The variables are the user's own word.
import type { ConfigFile } from '../../contract/config.ts'
import { AoError } from '../../contract/errors.ts'

export interface VariableKey {
  variable: string
  path: readonly [string, ...string[]]
  about: string
  read(text: string): unknown
}

const name = (text: string) => text
const numberBetween = (from: number, to: number, whole: boolean) => (text: string) => {
  const value = /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : Number.NaN
  if (value >= from && value <= to && (!whole || Number.isInteger(value))) return value
  throw new Error(`must be a ${whole ? 'whole ' : ''}number from ${from} to ${to}, not ${JSON.stringify(text)}`)
}

export const VARIABLE_KEYS: readonly VariableKey[] = [
  { variable: 'AO_PORT', path: ['port'], about: 'The port of the dashboard', read: numberBetween(0, 65_535, true) },
  { variable: 'AO_LISTEN', path: ['dashboard', 'listen'], about: 'Where the dashboard listens too', read: name },
  { variable: 'AO_TLS_CERT', path: ['dashboard', 'tls', 'cert'], about: 'Its certificate', read: name },
  { variable: 'AO_TLS_KEY', path: ['dashboard', 'tls', 'key'], about: 'The key of its certificate', read: name },
  { variable: 'AO_AGENT', path: ['defaults', 'agent'], about: 'The default agent', read: name },
  { variable: 'AO_RUNTIME', path: ['defaults', 'runtime'], about: 'The default runtime', read: name },
  { variable: 'AO_WORKSPACE', path: ['defaults', 'workspace'], about: 'The default workspace plugin', read: name },
  {
    variable: 'AO_POLL_SECONDS',
    path: ['lifecycle', 'pollSeconds'],
    about: 'How often everything is looked at',
    read: numberBetween(0.1, 3600, false),
  },
]

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
