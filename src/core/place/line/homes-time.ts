// A reading as it came from a place, in a shape that home can use and with its times as home's clock would have them.

import { asObject } from '../../text/json-fields.ts'
import type { FarReading } from './line-state.ts'

const LATEST = 8.64e15

/** `offset`: milliseconds to add to the place's times. */
export function inHomesTime(reading: unknown, offset: number): FarReading {
  const { activity, info } = asObject(reading)
  const { state, timestamp, evidence, asksInWords } = asObject(activity)
  if (typeof state !== 'string') return { activity: null, info: info ?? null }
  const at = typeof timestamp === 'string' ? Date.parse(timestamp) + offset : Number.NaN
  return {
    activity: {
      state,
      ...(Math.abs(at) <= LATEST && { timestamp: new Date(at).toISOString() }),
      ...(typeof evidence === 'string' && { evidence }),
      ...(asksInWords === true && { asksInWords }),
    },
    info: info ?? null,
  }
}
