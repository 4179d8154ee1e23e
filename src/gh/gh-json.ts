// `--json fields` with `--jq expression`, as gh prints them.
import type { Io } from '../cli/print/io.ts'
import type { Table } from './describe/node.ts'
import { GhError } from './gh-error.ts'

export const JSON_FLAGS = {
  json: { value: true },
  jq: { short: 'q', value: true },
  template: { short: 't', value: true, refused: 'use --jq' },
} as const

type JsonArguments = { value(name: 'json' | 'jq'): string | undefined }

/** The fields requested with `--json`; null: text for people. */
export function wantedFields(args: JsonArguments, table: Table): string[] | null {
  const given = args.value('json')
  if (given === undefined) {
    if (args.value('jq') !== undefined) throw new GhError('cannot use `--jq` without specifying `--json`')
    return null
  }
  const available = Object.keys(table)
  const list = available.toSorted().map((name) => `  ${name}`)
  const fields = given.split(',').map((name) => name.trim())
  if (given === '') throw new GhError(`Specify one or more comma-separated fields for \`--json\`:\n${list.join('\n')}`)
  const unknown = fields.find((name) => !available.includes(name))
  if (unknown !== undefined)
    throw new GhError(`Unknown JSON field: "${unknown}"\nAvailable fields:\n${list.join('\n')}`)
  return fields
}

export function printJson(value: unknown, args: JsonArguments, io: Io): Promise<void> {
  return printFormatted(sortKeys(value), args.value('jq'), io)
}

export async function printFormatted(answer: unknown, jq: string | undefined, io: Io): Promise<void> {
  const value = inWholeSeconds(answer)
  if (jq !== undefined) {
    const { runJq } = await import('../cli/print/jq.ts')
    const { text, problem } = await runJq(value, jq, { pretty: io.isTerminal, env: io.env })
    io.write(text)
    if (problem !== null) throw new GhError(problem)
  } else {
    io.print(io.isTerminal ? JSON.stringify(value, null, 2) : JSON.stringify(value))
  }
}

const TIME_KEY = /(?:At|_at|[dD]ate)$/
const WITH_FRACTION = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\.\d+Z$/

/** Times as GitHub writes them: jq's `fromdate` refuses fractions of a second. */
export function inWholeSeconds(value: unknown, key = ''): unknown {
  if (typeof value === 'string') return TIME_KEY.test(key) ? value.replace(WITH_FRACTION, '$1Z') : value
  if (Array.isArray(value)) return value.map((one) => inWholeSeconds(one))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, inWholeSeconds(one, name)]))
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([key, one]) => [key, sortKeys(one)]))
}

/**
 * `--jq` by itself: the first line of stdin is the expression, each further one a JSON value. An expression of jq can read the
 * environment, so it gets an empty one: whoever wrote it may not be whoever runs it.
 */
export async function formatLines(io: Io): Promise<number> {
  const chunks: Buffer[] = []
  for await (const chunk of io.stdin) chunks.push(Buffer.from(chunk))
  const [first = '', ...lines] = Buffer.concat(chunks).toString('utf8').split('\n')
  const { jq } = Object(read(first)) as { jq?: unknown }
  const expression = typeof jq === 'string' ? jq : undefined
  for (const line of lines) if (line.trim() !== '') await printFormatted(read(line), expression, { ...io, env: {} })
  return 0
}

function read(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    throw new GhError('the answer is not JSON, so it cannot be filtered')
  }
}
