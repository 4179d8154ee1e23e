// The tokens of one `{{action}}`.
import { GhError } from '../../gh-error.ts'

export interface Token {
  kind: 'literal' | 'path' | 'word' | 'pipe' | 'open' | 'close' | 'assign' | 'comma'
  text: string
  value?: unknown
  /** No space before it. */
  isAttached: boolean
}

const PATTERNS: ReadonlyArray<readonly [Token['kind'], RegExp]> = [
  ['literal', /^"(?:[^"\\\n]|\\.)*"/],
  ['literal', /^`[^`]*`/],
  ['literal', /^[-+]?(?:0x[0-9a-fA-F]+|\d+(?:\.\d+)?(?:e[-+]?\d+)?)\b/],
  ['path', /^\$\w*(?:\.\w+)*/],
  ['path', /^(?:\.\w+)+|^\./],
  ['assign', /^:?=/],
  ['pipe', /^\|/],
  ['open', /^\(/],
  ['close', /^\)/],
  ['comma', /^,/],
  ['word', /^[A-Za-z_]\w*/],
]
const CONSTANTS: Record<string, unknown> = { true: true, false: false, nil: null }

export function tokenize(action: string): Token[] {
  const tokens: Token[] = []
  let rest = action
  for (;;) {
    const trimmed = rest.trimStart()
    if (trimmed === '') return requireBalance(tokens)
    const isAttached = trimmed.length === rest.length
    const [kind, text] = nextToken(trimmed)
    tokens.push(literalOf({ kind, text, isAttached }))
    rest = trimmed.slice(text.length)
  }
}

function nextToken(text: string): [Token['kind'], string] {
  for (const [kind, pattern] of PATTERNS) {
    const found = pattern.exec(text)?.[0]
    if (found) return [kind, found]
  }
  throw new GhError(`failed to parse template: unexpected ${JSON.stringify(text[0])} in ${JSON.stringify(text)}`)
}

function literalOf(token: Token): Token {
  const { kind, text } = token
  if (kind === 'word' && Object.hasOwn(CONSTANTS, text)) return { ...token, kind: 'literal', value: CONSTANTS[text] }
  if (kind !== 'literal') return token
  if (text.startsWith('`')) return { ...token, value: text.slice(1, -1) }
  return { ...token, value: text.startsWith('"') ? unquote(text) : Number(text) }
}

function unquote(text: string): string {
  const escapes: Record<string, string> = {
    n: '\n',
    t: '\t',
    r: '\r',
    '"': '"',
    '\\': '\\',
    a: '\x07',
    b: '\b',
    f: '\f',
    v: '\v',
  }
  return text.slice(1, -1).replace(/\\(u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|.)/g, (_, code: string) => {
    if (/^[ux]./.test(code)) return String.fromCodePoint(Number.parseInt(code.slice(1), 16))
    if (Object.hasOwn(escapes, code)) return escapes[code]!
    throw new GhError(`failed to parse template: \\${code} is not an escape of Go`)
  })
}

function requireBalance(tokens: Token[]): Token[] {
  let depth = 0
  for (const { kind } of tokens) {
    if (kind === 'open') depth++
    if (kind === 'close' && --depth < 0) break
  }
  if (depth !== 0) throw new GhError('failed to parse template: unbalanced parentheses')
  return tokens
}
