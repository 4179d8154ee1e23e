// The functions of a template: Go's own and those listed by `gh help formatting`.

import { alignRows } from './align-rows.ts'
import { formatGoTime, timeAgo } from './go-time.ts'
import { compare, formatValue, isTrue, sprintf } from './go-values.ts'
import { templateProblem } from './parse-template.ts'

export interface TemplateOptions {
  isTerminal: boolean
  width: number
  now: Date
}

export type TemplateFunctions = Record<string, (args: readonly unknown[]) => unknown>

const COLORS = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white']
/** `h` makes the colour bright, see below. */
const ATTRIBUTES: Record<string, number> = { b: 1, d: 2, i: 3, u: 4, B: 5, s: 9 }
const HTML: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&#34;', "'": '&#39;' }

export function createFunctions(options: TemplateOptions): TemplateFunctions {
  const rows: string[][] = []
  return {
    ...LOGIC,
    ...TEXT,
    color: ([style, text]) => colorize(wordOf(style), formatValue(text)),
    autocolor: ([style, text]) => (options.isTerminal ? colorize(wordOf(style), formatValue(text)) : formatValue(text)),
    hyperlink: ([url, text]) =>
      options.isTerminal
        ? `\x1b]8;;${formatValue(url)}\x1b\\${formatValue(text || url)}\x1b]8;;\x1b\\`
        : formatValue(text || url),
    timeago: ([time]) => timeAgo(dateOf(time), options.now),
    timefmt: ([layout, time]) => formatGoTime(wordOf(layout), dateOf(time)),
    tablerow: (cells) => {
      rows.push(cells.map((cell) => (cell === null || cell === undefined ? '' : formatValue(cell))))
      return ''
    },
    tablerender: () => alignRows(rows.splice(0), options.isTerminal ? options.width : Number.POSITIVE_INFINITY),
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
  slice: ([value, from = 0, to]) => listOrText(value).slice(Number(from), to === undefined ? undefined : Number(to)),
}

const TEXT: TemplateFunctions = {
  print: (args) => args.map(formatValue).join(''),
  println: (args) => `${args.map(formatValue).join(' ')}\n`,
  printf: ([format, ...args]) => sprintf(wordOf(format), args),
  html: (args) =>
    args
      .map(formatValue)
      .join('')
      .replace(/[&<>"']/g, (char) => HTML[char]!),
  js: (args) => JSON.stringify(args.map(formatValue).join('')).slice(1, -1),
  urlquery: (args) => encodeURIComponent(args.map(formatValue).join('')).replace(/%20/g, '+'),
  join: ([separator, list]) => listOf(list).map(formatValue).join(wordOf(separator)),
  pluck: ([field, list]) => listOf(list).map((one) => (one as Record<string, unknown> | null)?.[wordOf(field)]),
  truncate: ([length, text]) => {
    const chars = [...(text === null || text === undefined ? '' : formatValue(text))]
    return chars.length <= Number(length)
      ? chars.join('')
      : `${chars.slice(0, Math.max(0, Number(length) - 3)).join('')}...`
  },
}

function colorize(style: string, text: string): string {
  const [name = '', attributes = ''] = style.split('+')
  const color = COLORS.indexOf(name)
  if (color === -1 && !['', 'default', 'off', 'reset'].includes(name))
    throw templateProblem(`there is no colour ${name}`)
  const codes = [...attributes.replace('h', '')].map((char) => ATTRIBUTES[char] ?? templateProblemFor(char))
  const all = [...codes, ...(color === -1 ? [] : [(attributes.includes('h') ? 90 : 30) + color])]
  return all.length === 0 ? text : `\x1b[${all.join(';')}m${text}\x1b[0m`
}

function templateProblemFor(attribute: string): never {
  throw templateProblem(`there is no colour attribute +${attribute}`)
}

function indexInto(value: unknown, key: unknown): unknown {
  if (Array.isArray(value)) {
    if (typeof key === 'number' && key >= 0 && key < value.length) return value[key]
    throw templateProblem(`index out of range: ${formatValue(key)}`)
  }
  if (typeof value === 'object' && value !== null) {
    const name = wordOf(key)
    return Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined
  }
  throw templateProblem(`can't index item of type ${formatValue(value)}`)
}

function lengthOf(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value)
  if (Array.isArray(value)) return value.length
  if (typeof value === 'object' && value !== null) return Object.keys(value).length
  throw templateProblem(`len of ${formatValue(value)}`)
}

function listOrText(value: unknown): unknown[] | string {
  return typeof value === 'string' ? value : listOf(value)
}

function listOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return value
  if (value === null || value === undefined) return []
  throw templateProblem(`expected a list, got ${formatValue(value)}`)
}

function wordOf(value: unknown): string {
  if (typeof value === 'string') return value
  throw templateProblem(`expected a text, got ${formatValue(value)}`)
}

function dateOf(value: unknown): Date {
  const date = new Date(wordOf(value))
  if (!Number.isNaN(date.getTime())) return date
  throw templateProblem(`${JSON.stringify(value)} is not a time`)
}
