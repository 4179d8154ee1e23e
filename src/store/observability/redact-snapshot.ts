// Makes a value safe to keep in observability files: no secrets as far as names and shapes tell, and bounded in size.

const MAX_TEXT = 256
const MAX_ITEMS = 25
const MAX_DEPTH = 4
const REDACTED = '[redacted]'

const SECRET_KEY = /token|secret|passw|authorization|cookie|api.?key|credential|prompt|message/i

/** Names that announce a secret, in running text: `token=…`, `Authorization: Bearer …`. */
const SECRETS_IN_TEXT: ReadonlyArray<readonly [pattern: RegExp, replacement: string]> = [
  [/\b(bearer|basic)\s+[A-Za-z0-9._~+/=-]{6,}/gi, `$1 ${REDACTED}`],
  [
    /\b([\w-]*(?:token|secret|passw(?:or)?d|api[_-]?key|cookie)[\w-]*["']?\s*[:=]\s*)("[^"]*"|'[^']*'|[^\s,;]+)/gi,
    `$1${REDACTED}`,
  ],
  [/(:\/\/[^\s/:@]*:)[^\s/@]+@/g, `$1${REDACTED}@`],
  [/\b(?:gh[pousr]_|github_pat_|glpat-|sk-|xox[abprs]-)[A-Za-z0-9_-]{8,}/g, REDACTED],
]

/** Text of an error or a reason: one bounded piece, without what looks like a secret. */
export function redactText(text: string): string {
  // Far more than is kept, so that a secret cannot hide behind the cut, and little enough to search quickly.
  let safe = text.slice(0, MAX_TEXT * 16)
  for (const [pattern, replacement] of SECRETS_IN_TEXT) safe = safe.replace(pattern, replacement)
  return safe.length > MAX_TEXT ? `${safe.slice(0, MAX_TEXT - 1)}…` : safe
}

/** Details of a health surface: bounded in depth, width and length, without values of secret keys. */
export function redactDetails(details: Record<string, unknown>): Record<string, unknown> {
  return redactValue(details, 0) as Record<string, unknown>
}

function redactValue(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return redactText(value)
  if (value === null || typeof value === 'boolean') return value
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value)
  if (value instanceof Error) return redactText(value.message)
  if (value instanceof Date) return value.toJSON()
  if (typeof value !== 'object') return redactText(String(value))
  if (depth >= MAX_DEPTH) return '[too deep]'
  if (Array.isArray(value)) return value.slice(0, MAX_ITEMS).map((item) => redactValue(item, depth + 1))
  const entries = Object.entries(value)
    .slice(0, MAX_ITEMS)
    .map(([key, item]) => [key.slice(0, MAX_TEXT), SECRET_KEY.test(key) ? REDACTED : redactValue(item, depth + 1)])
  return Object.fromEntries(entries)
}
