// Whether an agent waits for a limit of its account, and until when. Pure.
import { causeOf, errorMessage } from '../queue/error-cause.ts'
import { readResetTime } from './reset-time.ts'

export interface BlockedReading {
  state: string
  evidence?: string | undefined
  timestamp?: Date | null | undefined
}

/** null: it is not blocked by a limit, or its words name no time. `zone`: of this machine, for times without one. */
export function readLimitReset(reading: BlockedReading | null, localZone: () => string): number | null {
  if (reading?.state !== 'blocked' || !reading.evidence) return null
  // Times such as `in 45 minutes` count from the moment of the error; without it they would never come.
  const at = reading.timestamp?.getTime() ?? Number.NaN
  const message = errorMessage(reading.evidence)
  if (Number.isNaN(at) || causeOf(message) !== 'limit') return null
  return readResetTime(message, at, localZone())
}

/** The provider's clock may be a little behind ours, and an error that names no real time must not be answered at once. */
const SLACK_MS = 20_000
const SHORTEST_MS = 60_000

export function isReset(resetsAt: number, blockedAt: number, now: number): boolean {
  return now >= Math.max(resetsAt + SLACK_MS, blockedAt + SHORTEST_MS)
}
