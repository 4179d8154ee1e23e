// How often a session in a place may ask something of home, and which of it is written down: an agent that polls would fill its history,
// and one that asks without end would fill home.

export interface AskCount {
  /** Of the present minute. */
  since: number
  asks: number
  /** The last one that was written down. */
  last: { request: string; at: number } | null
}

export type CountedAsk =
  | { outcome: 'counted'; count: AskCount }
  /** The same as the last one, a moment ago: it is answered, and not written down again. */
  | { outcome: 'repeated'; count: AskCount }
  | { outcome: 'too-many'; count: AskCount; why: string; isFirst: boolean }

const MINUTE_MS = 60_000
const MOST_A_MINUTE = 120
const REPEATED_MS = 600_000

/** `request`: null, it is always written down. */
export function countAsk(count: AskCount, request: string | null, now: number): CountedAsk {
  const isSameMinute = now - count.since < MINUTE_MS
  const asks = isSameMinute ? count.asks + 1 : 1
  const next = { ...count, since: isSameMinute ? count.since : now, asks }
  if (asks > MOST_A_MINUTE) {
    const why = `more than ${MOST_A_MINUTE} commands in a minute are not answered; wait a moment`
    return { outcome: 'too-many', count: next, why, isFirst: asks === MOST_A_MINUTE + 1 }
  }
  if (request === null) return { outcome: 'counted', count: next }
  const isRepeated = count.last?.request === request && now - count.last.at < REPEATED_MS
  if (isRepeated) return { outcome: 'repeated', count: next }
  return { outcome: 'counted', count: { ...next, last: { request, at: now } } }
}
