// Defensive reads of records that other programs wrote: a field of an unexpected type counts as missing. Pure.
import type { JsonObject } from './read-jsonl.ts'

export function objectField(record: unknown, key: string): JsonObject | null {
  const value = field(record, key)
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : null
}

export function listField(record: unknown, key: string): unknown[] {
  const value = field(record, key)
  return Array.isArray(value) ? value : []
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

function field(record: unknown, key: string): unknown {
  if (typeof record !== 'object' || record === null || !Object.hasOwn(record, key)) return undefined
  return (record as JsonObject)[key]
}
