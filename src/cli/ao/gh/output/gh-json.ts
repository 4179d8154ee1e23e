// `--json fields` and `--jq expression`, as gh prints them.
import { exec, execFailure } from '../../../../lib/exec.ts'
import { findExecutable } from '../../../../lib/find-executable.ts'
import type { Io } from '../../../io.ts'
import { GhError } from '../gh-error.ts'
import { simpleJq } from './simple-jq.ts'

export const JSON_FLAGS = {
  json: { value: true },
  jq: { short: 'q', value: true },
  template: { short: 't', value: true },
} as const

/** What is asked for with `--json`; null: text for people. */
export function wantedFields(
  args: { value(name: 'json' | 'jq' | 'template'): string | undefined },
  available: readonly string[],
): string[] | null {
  const given = args.value('json')
  if (given === undefined) {
    if (args.value('jq') !== undefined) throw new GhError('cannot use `--jq` without specifying `--json`')
    return null
  }
  if (args.value('template') !== undefined) throw new GhError('`--template` is not available here; use `--jq`')
  const list = [...available].sort().map((name) => `  ${name}`)
  const fields = given.split(',').map((name) => name.trim())
  if (given === '') throw new GhError(`Specify one or more comma-separated fields for \`--json\`:\n${list.join('\n')}`)
  const unknown = fields.find((name) => !available.includes(name))
  if (unknown !== undefined)
    throw new GhError(`Unknown JSON field: "${unknown}"\nAvailable fields:\n${list.join('\n')}`)
  return fields
}

export async function printJson(value: unknown, expression: string | undefined, io: Io): Promise<void> {
  const sorted = sortKeys(value)
  if (expression === undefined) {
    io.print(io.isTerminal ? JSON.stringify(sorted, null, 2) : JSON.stringify(sorted))
    return
  }
  for (const line of await runJq(sorted, expression, io)) io.print(line)
}

/** The real one where it is installed; the usual paths work without it. */
async function runJq(value: unknown, expression: string, io: Io): Promise<string[]> {
  const jq = findExecutable('jq', { env: io.env })
  if (jq === null) return simpleJq(value, expression)
  // A space in front, so that no expression is taken for an option; jq knows no `--`.
  const args = ['--raw-output', '--compact-output', ` ${expression}`]
  const result = await exec(jq, args, { input: JSON.stringify(value), env: io.env })
  if (!result.ok) throw new GhError(`failed to parse jq expression: ${execFailure('jq', result)}`)
  return result.stdout === '' ? [] : result.stdout.replace(/\n$/, '').split('\n')
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([key, one]) => [key, sortKeys(one)]))
}
