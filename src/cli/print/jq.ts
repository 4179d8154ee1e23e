// jq itself, compiled to WebAssembly: gh ships its own too, and nothing has to be installed. Loaded on demand.
import { loadJq } from 'jq-wasm/inline'

export interface JqOutput {
  /** As gh prints it: strings bare, everything else as JSON with sorted keys, each on its own line. */
  text: string
  /** What stopped it; null: nothing. */
  problem: string | null
}

const COMPILE_ERROR = 3

interface JqOptions {
  pretty?: boolean
  /** The values of `env` and `$ENV`. */
  env?: NodeJS.ProcessEnv
}

export async function runJq(value: unknown, expression: string, options: JqOptions = {}): Promise<JqOutput> {
  const jq = await loadJq()
  const flags = ['--raw-output', '--sort-keys', ...(options.pretty ? ['--indent', '2'] : ['--compact-output'])]
  const { prefix, args } = /\b(?:env|ENV)\b/.test(expression) ? withEnvironment(options.env ?? {}) : WITHOUT
  // A leading space, so that no expression is taken for an option.
  const { stdout, stderr, exitCode } = jq.raw(JSON.stringify(value ?? null), `${prefix} ${expression}`, [
    ...flags,
    ...args,
  ])
  const text = stdout === '' || stdout.endsWith('\n') ? stdout : `${stdout}\n`
  if (exitCode === 0) return { text, problem: null }
  const why = stderr.trim() || `it ended with ${exitCode}`
  return { text, problem: exitCode === COMPILE_ERROR ? `failed to parse jq expression: ${why}` : why }
}

const WITHOUT = { prefix: '', args: [] as string[] }

/** Inside WebAssembly the environment is a synthetic one. */
function withEnvironment(env: NodeJS.ProcessEnv): typeof WITHOUT {
  return {
    prefix: '$aoEnvironment as $ENV | def env: $ENV;',
    args: ['--argjson', 'aoEnvironment', JSON.stringify(env)],
  }
}
