// How Go's templates treat JSON values: truth, printing, comparison and formatting.
import { templateProblem } from './parse-template.ts'

export function isTrue(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0
  if (typeof value === 'object' && value !== null) return Object.keys(value).length > 0
  return Boolean(value)
}

export function formatValue(value: unknown): string {
  if (value === undefined) return '<no value>'
  if (value === null) return '<nil>'
  if (Array.isArray(value)) return `[${value.map(formatValue).join(' ')}]`
  if (typeof value !== 'object') return String(value)
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `map[${entries.map(([key, one]) => `${key}:${formatValue(one)}`).join(' ')}]`
}

/** For eq, lt and the like: both of one kind, or they are not comparable. */
export function compare(a: unknown, b: unknown): number {
  if (a === b) return 0
  const [x, y] = [a ?? null, b ?? null]
  if (x === null || y === null) return x === y ? 0 : 1
  if (typeof x !== typeof y || typeof x === 'object') throw templateProblem('incompatible types for comparison')
  return (x as string | number) < (y as string | number) ? -1 : x === y ? 0 : 1
}

const VERB = /%([-+ 0#]*)(\d+)?(?:\.(\d+))?([a-zA-Z%])/g

/** Go's fmt.Sprintf with the verbs that text needs. */
export function sprintf(format: string, args: readonly unknown[]): string {
  let next = 0
  return format.replace(
    VERB,
    (_, flags: string, width: string | undefined, precision: string | undefined, verb: string) => {
      if (verb === '%') return '%'
      if (next >= args.length) return `%!${verb}(MISSING)`
      const text = formatVerb(verb, args[next++], precision === undefined ? null : Number(precision))
      const length = Number(width ?? 0)
      if (flags.includes('-')) return text.padEnd(length)
      return flags.includes('0') && /^-?\d/.test(text) ? text.padStart(length, '0') : text.padStart(length)
    },
  )
}

function formatVerb(verb: string, value: unknown, precision: number | null): string {
  switch (verb) {
    case 'v':
      return formatValue(value)
    case 's':
      return precision === null ? formatValue(value) : [...formatValue(value)].slice(0, precision).join('')
    case 'd':
      return typeof value === 'number' ? String(Math.trunc(value)) : `%!d(${formatValue(value)})`
    case 'f':
      return typeof value === 'number' ? value.toFixed(precision ?? 6) : `%!f(${formatValue(value)})`
    case 'q':
      return JSON.stringify(formatValue(value))
    case 't':
      return String(value)
    case 'x':
      return typeof value === 'number' ? Math.trunc(value).toString(16) : `%!x(${formatValue(value)})`
    default:
      throw templateProblem(`printf does not know %${verb} here`)
  }
}
