// What a count of tries proves, and where the next minute of trying proves most.
import type { Count } from './campaign.ts'

/** Every row shall be below it: 998 tries of which none broke. */
export const GOAL = 0.003
const DOUBT = 0.05

/** With 95 % certainty the true rate is below this (one-sided, Clopper-Pearson): 1 for nothing tried. */
export function upperBound({ tries, broken }: Count): number {
  if (broken >= tries) return 1
  if (broken === 0) return 1 - DOUBT ** (1 / tries)
  let [low, high] = [broken / tries, 1]
  for (let step = 0; step < 60; step++) {
    const middle = (low + high) / 2
    if (chanceOfAtMost(broken, tries, middle) > DOUBT) low = middle
    else high = middle
  }
  return high
}

/** Of at most so many broken among so many tries, when each breaks with this rate. */
function chanceOfAtMost(broken: number, tries: number, rate: number): number {
  let term = tries * Math.log1p(-rate)
  let sum = Math.exp(term)
  for (let n = 1; n <= broken; n++) {
    term += Math.log(((tries - n + 1) / n) * (rate / (1 - rate)))
    sum += Math.exp(term)
  }
  return sum
}

/** How far a campaign has come on the code as it is. */
export interface Standing {
  campaign: string
  /** By kind; those of runs that are under way count as if nothing broke in them. */
  rows: Count[]
  /** Measured before; null: never. */
  secondsPerTry: number | null
  /** The same of CPU: what a try takes from the others, however long it waits. */
  cpuPerTry: number | null
  /** On the code as it is. */
  secondsPlayed: number
}

export interface Slice {
  campaign: string
  tries: number
  /** It begins nothing new after that. */
  seconds: number
}

/** Long enough that building a world does not count for much; a tenth of what is left when there is more, but not all too long. */
const [SLICE_SECONDS, LONGEST_SECONDS] = [90, 360]
/** At first a little of everything, so that every row has figures whatever comes after; of a long run, more than building a world. */
const [FIRST_SECONDS, FIRST_SHARE] = [20, 80]
/** More than a slice has time for, which ends it: what was measured before includes building worlds, on a busy machine too. */
const FASTER = 3
const triesIn = (seconds: number, cost: number) => Math.max(100, Math.floor((FASTER * seconds) / cost))
/** What a slice may need to come to its end, in tries and beside them. */
const [LAST_TRIES, LAST_SECONDS] = [3, 15]

/**
 * What is played next: what has not been played at all, the cheapest first; then what makes the bounds better by most in a
 * second of CPU, or with cores to `finish` on what reaches the goal with the least, no more of it than it lacks, as long as it can
 * in the time that is left. What has reached it comes after what has not, and what broke is to be mended first, and comes last.
 */
export function nextSlice(
  standings: readonly Standing[],
  secondsLeft: number,
  { finish }: { finish?: number } = {},
): Slice | null {
  const lengthOf = ({ secondsPerTry }: Standing) => Math.max(secondsPerTry ?? 1, 0.001)
  const costOf = (one: Standing) => Math.max(one.cpuPerTry ?? lengthOf(one), 0.001)
  const fitting = standings.filter((one) => lengthOf(one) * LAST_TRIES + LAST_SECONDS <= secondsLeft)
  const isNew = ({ rows }: Standing) => rows.some(({ tries }) => tries === 0) && !hasBroken(rows)
  const slice = Math.min(Math.max(SLICE_SECONDS, secondsLeft / 10), LONGEST_SECONDS)
  const seconds = Math.min(slice, secondsLeft - LAST_SECONDS)
  const unplayed = fitting.filter(isNew).toSorted((a, b) => costOf(a) - costOf(b))[0]
  if (unplayed) {
    // Some of its rows came to nothing: as long once more, so that building its world is not all there is time for.
    const first = Math.min(Math.max(FIRST_SECONDS, secondsLeft / FIRST_SHARE, 2 * unplayed.secondsPlayed), seconds)
    return { campaign: unplayed.campaign, tries: triesIn(first, lengthOf(unplayed)), seconds: first }
  }
  const isInTime = (one: Standing) =>
    lackingIn(one) * costOf(one) <= secondsLeft * (finish ?? 0) &&
    lackingIn(one) * lengthOf(one) <= secondsLeft * FASTER
  const open = fitting.filter((one) => lackingIn(one) > 0 && !hasBroken(one.rows) && isInTime(one))
  const eachRow = (one: Standing) => (lackingIn(one) * costOf(one)) / one.rows.length
  const [first] = open.toSorted((a, b) => eachRow(a) - eachRow(b))
  if (first) {
    const tries = Math.min(triesIn(seconds, lengthOf(first)), lackingIn(first))
    return { campaign: first.campaign, tries, seconds }
  }
  const gains = (one: Standing) => gainOf(one.rows, seconds / costOf(one))
  const [best] = fitting.toSorted((a, b) => gains(b) - gains(a) || rank(b) - rank(a))
  if (best === undefined) return null
  return { campaign: best.campaign, tries: triesIn(seconds, lengthOf(best)), seconds }
}

const TRIES_OF_GOAL = Math.ceil(Math.log(DOUBT) / Math.log1p(-GOAL))

/** Of all its rows, which take turns: each is as far as the one that lacks most. */
function lackingIn({ rows }: Standing): number {
  return Math.ceil(rows.length * (TRIES_OF_GOAL - Math.min(...rows.map(({ tries }) => tries))))
}

/** By how much so many tries bring the bounds closer to the goal, all rows together. */
function gainOf(rows: readonly Count[], tries: number): number {
  if (hasBroken(rows)) return 0
  const gains = rows.map(({ tries: before }) => {
    const after = { tries: before + tries / rows.length, broken: 0 }
    return Math.max(GOAL, upperBound({ tries: before, broken: 0 })) - Math.max(GOAL, upperBound(after))
  })
  return gains.reduce((sum, gain) => sum + gain, 0)
}

function hasBroken(rows: readonly Count[]): boolean {
  return rows.some(({ broken }) => broken > 0)
}

function rank({ rows }: Standing): number {
  return hasBroken(rows) ? 0 : Math.max(...rows.map(upperBound))
}
