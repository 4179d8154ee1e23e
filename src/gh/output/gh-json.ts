// `--json fields` with `--jq expression` or `--template text`, as gh prints them.
import type { Io } from '../../cli/io.ts'
import type { Table } from '../describe/node.ts'
import { GhError } from '../gh-error.ts'

export const JSON_FLAGS = {
  json: { value: true },
  jq: { short: 'q', value: true },
  template: { short: 't', value: true },
} as const

type JsonArguments = { value(name: 'json' | 'jq' | 'template'): string | undefined }

/** The fields requested with `--json`; null: text for people. */
export function wantedFields(args: JsonArguments, table: Table): string[] | null {
  const given = args.value('json')
  const [jq, template] = [args.value('jq'), args.value('template')]
  if (given === undefined) {
    if (jq !== undefined) throw new GhError('cannot use `--jq` without specifying `--json`')
    if (template !== undefined) throw new GhError('cannot use `--template` without specifying `--json`')
    return null
  }
  requireOneFormat(jq, template)
  const available = Object.keys(table)
  const list = available.toSorted().map((name) => `  ${name}`)
  const fields = given.split(',').map((name) => name.trim())
  if (given === '') throw new GhError(`Specify one or more comma-separated fields for \`--json\`:\n${list.join('\n')}`)
  const unknown = fields.find((name) => !available.includes(name))
  if (unknown !== undefined)
    throw new GhError(`Unknown JSON field: "${unknown}"\nAvailable fields:\n${list.join('\n')}`)
  return fields
}

export function requireOneFormat(jq: string | undefined, template: string | undefined): void {
  if (jq !== undefined && template !== undefined) throw new GhError('only one of `--jq` or `--template` may be used')
}

export function printJson(value: unknown, args: JsonArguments, io: Io): Promise<void> {
  return printFormatted(sortKeys(value), { jq: args.value('jq'), template: args.value('template') }, io)
}

export interface Format {
  jq: string | undefined
  template: string | undefined
}

export async function printFormatted(answer: unknown, { jq, template }: Format, io: Io): Promise<void> {
  const value = inWholeSeconds(answer)
  if (jq !== undefined) {
    const { runJq } = await import('../../cli/print/jq.ts')
    const { text, problem } = await runJq(value, jq, { pretty: io.isTerminal, env: io.env })
    io.write(text)
    if (problem !== null) throw new GhError(problem)
  } else if (template !== undefined) {
    const { renderTemplate } = await import('./template.ts')
    // Control characters in the data are already visible; colours are what the template asked for.
    io.writeRaw(renderTemplate(template, value, { isTerminal: io.isTerminal, width: io.width(), now: io.clock.now() }))
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
