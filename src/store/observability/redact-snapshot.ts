// Makes a value safe to keep in observability files: no secrets, nothing private, and bounded in size.
import { isSecretName, REDACTED, redactStart } from '../../core/text/redact.ts'

const MAX_TEXT = 256
const MAX_ITEMS = 25
const MAX_DEPTH = 4

/** What people and agents say to each other is private. */
const PRIVATE_KEY = /prompt|message/i

/** Text of an error or a reason: one bounded piece. */
export function redactText(text: string): string {
  return redactStart(text, MAX_TEXT)
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
    .map(([key, item]) => [
      key.slice(0, MAX_TEXT),
      isSecretName(key) || PRIVATE_KEY.test(key) ? REDACTED : redactValue(item, depth + 1),
    ])
  return Object.fromEntries(entries)
}
