// Which review comes first: the work blocked behind it × its risk ÷ the minutes that it takes; and why, in words. Pure.
import type { Risk } from './judge-risk.ts'

export interface ReviewFacts {
  /** null: nothing is known about the change. */
  risk: Pick<Risk, 'score' | 'minutes'> | null
  /** Sessions that cannot start or land before it does. */
  behind: readonly string[]
  /** Since when it waits, as a time. */
  since: number
  now: number
}

export interface ReviewWeight {
  weight: number
  why: string
}

/** Whoever waits this long goes before those that have not, and after a day before everybody: nobody waits forever. */
const LONG_WAIT_MS = 25 * 60_000
export const LONGEST_WAIT_MS = 24 * 3_600_000
/** More than any weight amounts to. */
const AHEAD = 1e9
const UNKNOWN: NonNullable<ReviewFacts['risk']> = { score: 100, minutes: 15 }

export function weighReview({ risk, behind, since, now }: ReviewFacts): ReviewWeight {
  const { score, minutes } = risk ?? UNKNOWN
  // A clock that went backwards makes nobody wait longer.
  const waited = now - since
  const blocked = behind.length + 1
  const weight = (blocked * Math.max(1, score)) / Math.max(1, minutes)
  const others =
    behind.length === 0
      ? 'nothing waits behind it'
      : `${behind.slice(0, MOST_NAMED).join(', ')}${behind.length > MOST_NAMED ? ` and ${behind.length - MOST_NAMED} more` : ''} ${behind.length === 1 ? 'waits' : 'wait'} behind it`
  const sum = `${blocked} × risk ${score}${risk === null ? ' (unknown)' : ''} ÷ ${minutes} min = ${weight.toFixed(1)}`
  if (waited >= LONGEST_WAIT_MS)
    return { weight: Number.MAX_VALUE, why: `it has waited for more than a day; ${others}: ${sum}` }
  if (waited >= LONG_WAIT_MS)
    return { weight: weight + AHEAD, why: `it has waited for more than 25 minutes; ${others}: ${sum}` }
  return { weight, why: `${others}: ${sum}` }
}

const MOST_NAMED = 3
