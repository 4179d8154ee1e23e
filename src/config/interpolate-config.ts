// Substitutes environment variables in the texts of a configuration. Keys stay as they are, and so do programs and prose: a
// shell expands its own variables, and a rule may well mention `${…}`.
import type { ConfigFile } from '../contract/config.ts'
import { VERBATIM_KEYS } from '../core/config/find-consent.ts'
import type { KeyPath } from '../core/config/key-path.ts'
import { isHeldByAo } from '../core/environment/held-variables.ts'
import { SESSION_VARIABLES } from '../core/session/session-variables.ts'
import { expandEnv } from '../core/text/expand-env.ts'
import type { ConfigProblem } from './config-problems.ts'

export interface Interpolated {
  file: ConfigFile
  problems: ConfigProblem[]
}

export function interpolateConfig(file: ConfigFile, env: NodeJS.ProcessEnv): Interpolated {
  const problems: ConfigProblem[] = []
  return { file: interpolate(file, [], env, problems) as ConfigFile, problems }
}

function interpolate(value: unknown, path: KeyPath, env: NodeJS.ProcessEnv, problems: ConfigProblem[]): unknown {
  if (typeof value === 'string') return expandText(value, path, env, problems)
  if (Array.isArray(value)) return value.map((item, index) => interpolate(item, [...path, index], env, problems))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, inner]) => [
    key,
    VERBATIM_KEYS.has(key) ? inner : interpolate(inner, [...path, key], env, problems),
  ])
  return Object.fromEntries(entries)
}

/** Known only when a session starts: they stay as they are until then. */
const OF_THE_SESSION = Object.fromEntries(
  [...SESSION_VARIABLES, ...Array.from({ length: 99 }, (_, index) => `AO_SESSION_PORT_${index + 1}`)].map((name) => [
    name,
    `\${${name}}`,
  ]),
)

function isAgentVariable(path: KeyPath): boolean {
  return path.at(-2) === 'env' && path.at(-3) === 'agentConfig'
}

function expandText(text: string, path: KeyPath, env: NodeJS.ProcessEnv, problems: ConfigProblem[]): string {
  if (!text.includes('${')) return text
  const expanded = expandEnv(text, isAgentVariable(path) ? { ...env, ...OF_THE_SESSION } : env)
  // Agents do not get these: their `ao` leaves the placeholders alone and uses none of them.
  if (env.AO_SESSION && isHeldByAo(path) && expanded.problems.some(({ kind }) => kind === 'unset')) return text
  for (const problem of expanded.problems) {
    const message =
      problem.kind === 'unset'
        ? `the environment variable ${problem.name} is not set; set it, or give a default: \${${problem.name}:-default}`
        : `${problem.text} is not a variable; write $$\{ for a literal $\{`
    problems.push({ path, message })
  }
  return expanded.value
}
