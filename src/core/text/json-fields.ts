// Defensive reads of records that other programs wrote: a field of an unexpected type counts as missing. Pure.

export type JsonObject = Record<string, unknown>

/** Neither a list nor null. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Empty for anything else. */
export function asObject(value: unknown): JsonObject {
  return isObject(value) ? value : {}
}

/** null: the text is not JSON, or not an object. */
export function parseObject(text: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : null
  } catch {
    // That is the answer: what it means is for the caller to say.
    return null
  }
}

export function objectField(record: unknown, key: string): JsonObject | null {
  const value = field(record, key)
  return isObject(value) ? value : null
}

export function listField(record: unknown, key: string): unknown[] {
  const value = field(record, key)
  return Array.isArray(value) ? value : []
}

/** The texts of its parts, as agents write messages. */
export function textsField(record: unknown, key: string): string {
  return listField(record, key)
    .flatMap((part) => textField(part, 'text') ?? [])
    .join('\n')
}

export function textField(record: unknown, key: string): string | null {
  const value = field(record, key)
  return typeof value === 'string' ? value : null
}

/** A count: not negative, finite; anything else is 0. */
export function countField(record: unknown, key: string): number {
  const value = field(record, key)
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : 0
}

/** ISO text or milliseconds; null when it is neither. */
export function timeField(record: unknown, key: string): Date | null {
  const value = field(record, key)
  if (typeof value !== 'string' && typeof value !== 'number') return null
  const date = new Date(value)
  return Number.isNaN(date.getTime()) ? null : date
}

/** An id that becomes a word of a command line: agents write these records, and the next launch must not take it for an option. */
export function idField(record: unknown, key: string): string | null {
  const value = textField(record, key)
  return value !== null && /^[A-Za-z0-9][\w.-]{0,199}$/.test(value) ? value : null
}

function field(record: unknown, key: string): unknown {
  if (typeof record !== 'object' || record === null || !Object.hasOwn(record, key)) return undefined
  return (record as JsonObject)[key]
}

/** From a table that is asked with other people's words: `constructor` is a key of every object, and of no table. */
export function ownValue<T>(table: Readonly<Record<string, T>>, key: unknown): T | undefined {
  return typeof key === 'string' && Object.hasOwn(table, key) ? table[key] : undefined
}
