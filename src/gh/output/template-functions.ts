// The functions of a template, Go's own and those listed by `gh help formatting`, and how Go prints and compares JSON values.
import { displayWidth, truncate } from '../../cli/print/plain-text.ts'
import { GhError } from '../gh-error.ts'

export interface TemplateOptions {
  isTerminal: boolean
  width: number
  now: Date
}

export type TemplateFunctions = Record<string, (args: readonly unknown[]) => unknown>

export function templateProblem(why: string): GhError {
  return new GhError(`failed to parse template: ${why}`)
}

export function createFunctions({ isTerminal, width, now }: TemplateOptions): TemplateFunctions {
  const rows: string[][] = []
  return {
    ...LOGIC,
    ...TEXT,
    color: ([style, text]) => colorize(textOf(style), formatValue(text)),
    autocolor: ([style, text]) => (isTerminal ? colorize(textOf(style), formatValue(text)) : formatValue(text)),
    hyperlink: ([url, text]) => {
      const shown = formatValue(text || url)
      return isTerminal ? `\x1b]8;;${formatValue(url)}\x1b\\${shown}\x1b]8;;\x1b\\` : shown
    },
    timeago: ([time]) => timeAgo(dateOf(time), now),
    timefmt: ([layout, time]) => formatTime(textOf(layout), dateOf(time)),
    tablerow: (cells) => {
      rows.push(cells.map((cell) => (cell === null || cell === undefined ? '' : formatValue(cell))))
      return ''
    },
    tablerender: () => alignRows(rows.splice(0), isTerminal ? width : Number.POSITIVE_INFINITY),
  }
}

const LOGIC: TemplateFunctions = {
  and: (args) => args.find((one) => !isTrue(one)) ?? args.at(-1),
  or: (args) => args.find(isTrue) ?? args.at(-1),
  not: ([value]) => !isTrue(value),
  eq: ([value, ...others]) => others.some((one) => compare(value, one) === 0),
  ne: ([a, b]) => compare(a, b) !== 0,
  lt: ([a, b]) => compare(a, b) < 0,
  le: ([a, b]) => compare(a, b) <= 0,
  gt: ([a, b]) => compare(a, b) > 0,
  ge: ([a, b]) => compare(a, b) >= 0,
  len: ([value]) => lengthOf(value),
  index: ([value, ...keys]) => keys.reduce(indexInto, value),
  slice: ([value, from = 0, to]) =>
    (typeof value === 'string' ? value : listOf(value)).slice(Number(from), to === undefined ? undefined : Number(to)),
}

const HTML: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&#34;', "'": '&#39;' }
const joined = (args: readonly unknown[]) => args.map(formatValue).join('')

const TEXT: TemplateFunctions = {
  print: joined,
  println: (args) => `${args.map(formatValue).join(' ')}\n`,
  printf: ([format, ...args]) => sprintf(textOf(format), args),
  html: (args) => joined(args).replace(/[&<>"']/g, (char) => HTML[char]!),
  js: (args) => JSON.stringify(joined(args)).slice(1, -1),
  urlquery: (args) => encodeURIComponent(joined(args)).replace(/%20/g, '+'),
  join: ([separator, list]) => listOf(list).map(formatValue).join(textOf(separator)),
  pluck: ([field, list]) => listOf(list).map((one) => (one as Record<string, unknown> | null)?.[textOf(field)]),
  truncate: ([length, text]) => {
    const chars = [...(text === null || text === undefined ? '' : formatValue(text))]
    if (chars.length <= Number(length)) return chars.join('')
    return `${chars.slice(0, Math.max(0, Number(length) - 3)).join('')}...`
  },
}

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

/** Both of one kind, or they are not comparable. */
function compare(a: unknown, b: unknown): number {
  const [x, y] = [a ?? null, b ?? null]
  if (x === y) return 0
  if (x === null || y === null) return 1
  if (typeof x !== typeof y || typeof x === 'object') throw templateProblem('incompatible types for comparison')
  return (x as string | number) < (y as string | number) ? -1 : 1
}

/** Go's fmt.Sprintf with the verbs that text needs. */
function sprintf(format: string, args: readonly unknown[]): string {
  const left = [...args]
  return format.replace(/%([-+ 0#]*)(\d*)(?:\.(\d+))?([a-zA-Z%])/g, (_, flags, width, precision, verb) => {
    if (verb === '%') return '%'
    if (left.length === 0) return `%!${verb}(MISSING)`
    const text = formatVerb(verb, left.shift(), precision === undefined ? null : Number(precision))
    if (flags.includes('-')) return text.padEnd(Number(width))
    return text.padStart(Number(width), flags.includes('0') && /^-?\d/.test(text) ? '0' : ' ')
  })
}

function formatVerb(verb: string, value: unknown, precision: number | null): string {
  const text = formatValue(value)
  if (verb === 'v' || verb === 't') return text
  if (verb === 's') return precision === null ? text : [...text].slice(0, precision).join('')
  if (verb === 'q') return JSON.stringify(text)
  if (!'dfx'.includes(verb)) throw templateProblem(`printf does not know %${verb} here`)
  if (typeof value !== 'number') return `%!${verb}(${text})`
  return verb === 'f' ? value.toFixed(precision ?? 6) : Math.trunc(value).toString(verb === 'x' ? 16 : 10)
}

const COLORS = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white']
/** `h` makes the colour bright, see below. */
const ATTRIBUTES: Record<string, number> = { b: 1, d: 2, i: 3, u: 4, B: 5, s: 9 }

function colorize(style: string, text: string): string {
  const [name = '', attributes = ''] = style.split('+')
  const color = COLORS.indexOf(name)
  if (color === -1 && !['', 'default', 'off', 'reset'].includes(name))
    throw templateProblem(`there is no colour ${name}`)
  const codes = [...attributes.replace('h', '')].map((char) => {
    if (Object.hasOwn(ATTRIBUTES, char)) return ATTRIBUTES[char]
    throw templateProblem(`there is no colour attribute +${char}`)
  })
  if (color !== -1) codes.push((attributes.includes('h') ? 90 : 30) + color)
  return codes.length === 0 ? text : `\x1b[${codes.join(';')}m${text}\x1b[0m`
}

function indexInto(value: unknown, key: unknown): unknown {
  if (Array.isArray(value)) {
    if (typeof key === 'number' && key >= 0 && key < value.length) return value[key]
    throw templateProblem(`index out of range: ${formatValue(key)}`)
  }
  if (typeof value !== 'object' || value === null)
    throw templateProblem(`can't index item of type ${formatValue(value)}`)
  const name = textOf(key)
  return Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined
}

function lengthOf(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value)
  if (typeof value === 'object' && value !== null) return Object.keys(value).length
  throw templateProblem(`len of ${formatValue(value)}`)
}

function listOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return value
  if (value === null || value === undefined) return []
  throw templateProblem(`expected a list, got ${formatValue(value)}`)
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  throw templateProblem(`expected a text, got ${formatValue(value)}`)
}

function dateOf(value: unknown): Date {
  const date = new Date(textOf(value))
  if (!Number.isNaN(date.getTime())) return date
  throw templateProblem(`${JSON.stringify(value)} is not a time`)
}

/** A layout shows how Mon Jan 2 15:04:05 MST 2006 would look. Always in UTC, like GitHub's times. */
const LAYOUT = /January|Jan|Monday|Mon|MST|2006|-07:00|-0700|Z07:00|\.000|0[1-6]|15|PM|pm|_2|[1-5]/g

function formatTime(layout: string, date: Date): string {
  const named = (options: Intl.DateTimeFormatOptions) => date.toLocaleString('en', { ...options, timeZone: 'UTC' })
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate()]
  const [hours, minutes, seconds] = [date.getUTCHours(), date.getUTCMinutes(), date.getUTCSeconds()]
  const numbers = [0, month, day, hours % 12 || 12, minutes, seconds, year % 100]
  const half = hours < 12 ? 'AM' : 'PM'
  const parts: Record<string, string> = {
    January: named({ month: 'long' }),
    Jan: named({ month: 'short' }),
    Monday: named({ weekday: 'long' }),
    Mon: named({ weekday: 'short' }),
    MST: 'UTC',
    '2006': String(year),
    '-07:00': '+00:00',
    '-0700': '+0000',
    'Z07:00': 'Z',
    '.000': date.toISOString().slice(-5, -1),
    '15': String(hours).padStart(2, '0'),
    PM: half,
    pm: half.toLowerCase(),
    _2: String(day).padStart(2),
  }
  return layout.replace(LAYOUT, (part) => parts[part] ?? String(numbers[Number(part)]).padStart(part.length, '0'))
}

const UNITS = { year: 365 * 86_400, month: 30 * 86_400, day: 86_400, hour: 3_600, minute: 60 }

function timeAgo(date: Date, now: Date): string {
  const seconds = Math.floor((now.getTime() - date.getTime()) / 1000)
  for (const [name, length] of Object.entries(UNITS)) {
    const count = Math.floor(seconds / length)
    if (count > 0) return `about ${count} ${name}${count === 1 ? '' : 's'} ago`
  }
  return 'less than a minute ago'
}

/** Columns two spaces apart, the last one cut at the terminal's edge. */
function alignRows(rows: readonly string[][], width: number): string {
  const widths: number[] = []
  for (const row of rows)
    for (const [at, cell] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, displayWidth(cell))
  return rows
    .map((row) => {
      const cells = row.map((cell, at) =>
        at === row.length - 1 ? cell : cell + ' '.repeat(widths[at]! - displayWidth(cell)),
      )
      const line = cells.join('  ')
      return `${Number.isFinite(width) ? truncate(line, width) : line}\n`
    })
    .join('')
}
