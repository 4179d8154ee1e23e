// How many unreviewed changes may be under way at once, so that work waits before it starts instead of in front of a person. Measured
// from the reviews that people gave. Pure.
import { median, plural } from '../text/format-age.ts'

const MINUTE = 60_000
const WINDOW_MS = 14 * 24 * 60 * MINUTE
/** A longer gap between two reviews was spent on something else. */
const LONGEST_GAP_MS = 2 * 60 * MINUTE
const FEWEST_GAPS = 5
const FEWEST = 3
const MOST = 50
const LONGEST_LEAD_MS = 7 * 24 * 60 * MINUTE
/** Between the start of a session and its pull request, as long as nobody has measured it. */
const USUAL_LEAD_MS = 60 * MINUTE
/** What takes that many times as long as others hangs or is large, and the person would wait for it. */
const LATE = 2
const SPARE = 1.5
/** How much of the limit may be pull requests that have not landed. */
const OPEN_SHARE = 0.5

/** Times are of the clock that `now` is of; whatever is not a time counts as absent. */
export interface CapacityFacts {
  capacity: 'auto' | 'off' | number
  /** When people gave their verdicts. */
  reviews: readonly number[]
  /** How long each session took from its start to its pull request. */
  leads: readonly number[]
  /** Those that have not landed. */
  changes: readonly OpenChange[]
  now: number
}

/**
 * `coming`: it has no pull request yet. With one: `review` waits for a person, `mended` for checks or its agent, and `landing`
 * is approved.
 */
export interface OpenChange {
  state: 'coming' | 'mended' | 'review' | 'landing'
  since: number
}

export interface Capacity {
  /** null: there is none. */
  limit: number | null
  /** Why work that nobody has asked for by hand waits; null: it does not. */
  waits: string | null
  /** How the limit came about. */
  how: string
}

export function reviewCapacity(facts: CapacityFacts): Capacity {
  const { capacity, changes, now } = facts
  const { limit, how, lead } = limitOf(facts)
  if (limit === null) return { limit, how, waits: null }
  const current = changes.filter(({ state, since }) => state === 'review' || now - since < LATE * lead)
  const unreviewed = current.filter(({ state }) => state === 'review').length
  const underWay = current.filter(({ state }) => state !== 'landing').length
  // What has been open for long keeps nothing from starting: it may never be read.
  const open = changes.filter(({ state, since }) => state !== 'coming' && now - since < LATE * lead).length
  const waiting = `the backlog, schedules and triggers wait for reviews: ${unreviewed} open pull ${unreviewed === 1 ? 'request waits' : 'requests wait'} for a review`
  // One more while nobody has anything to review: a limit that was measured too low corrects itself.
  if (underWay >= limit + (unreviewed === 0 ? 1 : 0))
    return { limit, how, waits: `${waiting}, ${underWay} changes are under way, and ${limit} is the limit (${how})` }
  // What starts now would conflict with what lands while it is being made; as long as there is something to read, it can wait.
  if (capacity === 'auto' && unreviewed > 0 && open > limit * OPEN_SHARE)
    return { limit, how, waits: `${waiting}, and ${open} are open, more than half of the limit of ${limit} (${how})` }
  return { limit, how, waits: null }
}

function limitOf({ capacity, reviews, leads, now }: CapacityFacts): {
  limit: number | null
  how: string
  lead: number
} {
  const measured = leads.filter((lead) => lead > 0 && lead <= LONGEST_LEAD_MS)
  const lead = measured.length === 0 ? USUAL_LEAD_MS : median(measured)!
  if (capacity === 'off') return { limit: null, how: 'review.capacity is off', lead }
  if (capacity !== 'auto') return { limit: Math.max(1, Math.floor(capacity)), how: 'review.capacity', lead }
  const times = reviews.filter((at) => at <= now && now - at <= WINDOW_MS).sort((a, b) => a - b)
  const gaps = times.flatMap((at, index) => {
    const gap = at - (times[index - 1] ?? Number.NEGATIVE_INFINITY)
    return gap <= LONGEST_GAP_MS ? [gap] : []
  })
  if (gaps.length < FEWEST_GAPS)
    return { limit: null, how: `${times.length} reviews in 14 days are too few to measure a rate`, lead }
  const each = Math.max(2 * MINUTE, median(gaps)!)
  // As many as are read while one comes, and one or two more, so that nobody waits for work.
  const limit = Math.min(MOST, Math.max(FEWEST, Math.ceil(lead / each + SPARE)))
  const how = `a review every ${minutes(each)} in ${times.length} reviews of 14 days, and a change takes ${minutes(lead)} to come`
  return { limit, how, lead }
}

function minutes(ms: number): string {
  return plural(Math.round(ms / MINUTE), 'minute')
}
