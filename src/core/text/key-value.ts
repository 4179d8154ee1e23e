// KEY=VALUE lines: whatever somebody wrote is read, and what is written is read back exactly. Pure.
import { AoError } from '../../contract/errors.ts'

export interface ParsedPairs {
  pairs: Record<string, string>
  /** Anything that could not be read, in words. Everything else is in `pairs`. */
  problems: string[]
}

const KEY = /^[A-Za-z0-9_.-]+$/

/** A line as ao writes it: nothing to trim or decode. Lists of sessions parse thousands of them. */
const PLAIN_LINE = /([A-Za-z0-9_.-]+)=((?:[^\0\t\n\r %](?:[^\0\n\r%]*[^\0\t\n\r %])?)?)\n/y

/** Accepts anything: hand-written, from a shell script, with CRLF, comments, spaces before `=`. Never throws. */
export function parsePairs(text: string): ParsedPairs {
  const pairs = new Map<string, string>()
  const problems: string[] = []
  let start = text.charCodeAt(0) === BYTE_ORDER_MARK ? 1 : 0
  for (let number = 1; start < text.length; number++) {
    PLAIN_LINE.lastIndex = start
    const plain = PLAIN_LINE.exec(text)
    if (plain) {
      pairs.set(plain[1]!, plain[2]!)
      start = PLAIN_LINE.lastIndex
      continue
    }
    const newline = text.indexOf('\n', start)
    const end = newline === -1 ? text.length : newline
    const problem = parseLine(text.slice(start, end), pairs)
    if (problem) problems.push(`line ${number} ${problem}`)
    start = end + 1
  }
  // fromEntries creates own properties even for `__proto__`, which a plain assignment would lose.
  return { pairs: Object.fromEntries(pairs), problems }
}

const BYTE_ORDER_MARK = 0xfeff

/** Says in words why a line is not a pair. */
function parseLine(raw: string, pairs: Map<string, string>): string | null {
  const content = trimBlanks(raw.endsWith('\r') ? raw.slice(0, -1) : raw)
  if (content === '' || content.startsWith('#')) return null
  const pair = splitPair(content)
  if (typeof pair === 'string') return pair
  pairs.set(pair.key, pair.value)
  return null
}

export function formatPairs(pairs: Record<string, string>): string {
  return Object.entries(pairs)
    .map(([key, value]) => `${checkedKey(key)}=${encodeValue(value)}\n`)
    .join('')
}

/** Encodes control characters, and blanks that trimming would remove, as %XX; a `%` only where it would be decoded. */
export function encodeValue(value: string): string {
  return value.replace(ENCODED, (found) => {
    if (found.startsWith('%')) return `%25${found.slice(1)}`
    return `%${found.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`
  })
}

/** The exact inverse, in one pass. Any other %XX is left alone: values are often URLs. */
export function decodeValue(text: string): string {
  if (!text.includes('%')) return text
  return text.replace(DECODED, (found) => String.fromCharCode(Number.parseInt(found.slice(1), 16)))
}

// \p{Cc} without tab and C1: the control characters below the space, and DEL.
const ENCODED = /^[ \t]|[ \t]$|^%20|%20$|%(?=[01]|7[Ff]|25)|(?![\t\u0080-\u009F])\p{Cc}/gu
const DECODED = /^%20|%20$|%25|%[01][0-9A-Fa-f]|%7[Ff]/g

function splitPair(content: string): { key: string; value: string } | string {
  if (content.includes('\0')) return 'holds NUL bytes'
  const equals = content.indexOf('=')
  if (equals === -1) return 'is not a KEY=VALUE pair'
  const key = trimBlanks(content.slice(0, equals))
  if (!KEY.test(key)) return 'has no valid key'
  return { key, value: decodeValue(trimBlanks(content.slice(equals + 1))) }
}

/** Only what the encoder protects: other Unicode white space belongs to the value. */
function trimBlanks(text: string): string {
  // Nearly every line has none: a list reads thousands of them.
  if (!isBlank(text.charCodeAt(0)) && !isBlank(text.charCodeAt(text.length - 1))) return text
  return text.replace(/^[ \t]+|(?<![ \t])[ \t]+$/g, '')
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09
}

function checkedKey(key: string): string {
  if (KEY.test(key)) return key
  throw new AoError('INTERNAL', `${JSON.stringify(key)} cannot be a key`)
}
