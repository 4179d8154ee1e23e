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
}

export interface Slice {
  campaign: string
  tries: number
}

/** Long enough that building a world does not count for much. */
const SLICE_SECONDS = 90
const FIRST_TRIES = 10

/** What is played next: the campaign with the worst bound. One that broke is to be mended first, and comes last. */
export function nextSlice(standings: readonly Standing[], secondsLeft: number): Slice | null {
  const fitting = standings.filter(({ secondsPerTry }) => (secondsPerTry ?? 0) * FIRST_TRIES <= secondsLeft)
  const ranked = fitting.toSorted((a, b) => rank(b) - rank(a))
  const first = ranked[0]
  if (first === undefined || secondsLeft <= 0) return null
  const { campaign, secondsPerTry } = first
  if (secondsPerTry === null) return { campaign, tries: FIRST_TRIES }
  const seconds = Math.min(SLICE_SECONDS, secondsLeft)
  return { campaign, tries: Math.max(FIRST_TRIES, Math.floor(seconds / Math.max(secondsPerTry, 0.01))) }
}

function rank({ rows }: Standing): number {
  return rows.some(({ broken }) => broken > 0) ? 0 : worstBound(rows)
}

export function worstBound(rows: readonly Count[]): number {
  return Math.max(...rows.map(upperBound))
}
