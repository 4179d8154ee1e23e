// When a pull request will probably have landed, from the checks that were measured and its position in the train. Pure.
import { formatRoughly, median } from '../../text/format-age.ts'
import type { Halt } from './halt.ts'

export interface EstimateFacts {
  /** In the order of the train. */
  riders: ReadonlyArray<{ pull: number; state: 'waiting' | 'testing' | 'green' | 'red' }>
  batch: number
  /** How long checks of whole trees took, in milliseconds; nonsense among them is left out. */
  durations: readonly number[]
  halt: Halt | null
  /** Why nothing lands until somebody acts; null: nothing is in the way. */
  obstacle: string | null
  now: number
}

export interface Estimate {
  /** Milliseconds; null: unknown. */
  inMs: number | null
  text: string
}

const LONGEST_MS = 24 * 3_600_000

export function estimateLanding(facts: EstimateFacts, pull: number): Estimate {
  const { riders, batch, durations, halt, obstacle, now } = facts
  const index = riders.findIndex((rider) => rider.pull === pull)
  const rider = riders[index]
  if (!rider) return unknown('it is not aboard')
  if (obstacle !== null) return unknown(obstacle)
  if (halt && halt.until === null) return unknown(halt.why)
  const wait = halt?.until === undefined || halt?.until === null ? 0 : Math.max(0, halt.until - now)
  const run = median(durations.filter((one) => one > 0 && one <= LONGEST_MS))
  // All of one batch are tested at once, and land one after the other.
  const rounds = riders.slice(0, index + 1).every(({ state }) => state === 'green')
    ? 0
    : Math.floor(index / Math.max(1, batch)) + 1
  if (rounds > 0 && run === null) return unknown('no check of a car was measured yet')
  const inMs = wait + rounds * (run ?? 0)
  const after = halt === null ? '' : `, ${halt.why}`
  return { inMs, text: `${inMs < 60_000 ? 'within a minute' : `in about ${formatRoughly(inMs)}`}${after}` }
}

function unknown(why: string): Estimate {
  return { inMs: null, text: `unknown: ${why}` }
}
