// Whether something grows: the slope of samples over time, and how much of it is noise.

export interface Sample {
  hours: number
  value: number
  /** Samples of one life of the process; a restart begins another one. */
  life: number
}

export interface Slope {
  perHour: number
  /** Its standard error. */
  error: number
  mean: number
  /** How long was measured. */
  hours: number
}

/** Neighbours are alike, so that each would count as more than it says: these many are one. */
const TOGETHER = 6

/** One slope for all lives, each of which begins where it begins. null: too few samples. */
export function slopeOf(samples: readonly Sample[]): Slope | null {
  const lives = Map.groupBy(samples, ({ life }) => life)
  const points = [...lives.values()].map(blocksOf).filter((blocks) => blocks.length >= 2)
  const [count, span] = [points.flat().length, samples.length === 0 ? 0 : samples.at(-1)!.hours - samples[0]!.hours]
  const free = count - points.length - 1
  if (free < 2) return null
  const centred = points.flatMap((blocks) => {
    const [hours, value] = [meanOf(blocks.map((one) => one.hours)), meanOf(blocks.map((one) => one.value))]
    return blocks.map((one) => ({ x: one.hours - hours, y: one.value - value }))
  })
  const square = sum(centred.map(({ x }) => x * x))
  const perHour = sum(centred.map(({ x, y }) => x * y)) / square
  const left = sum(centred.map(({ x, y }) => (y - perHour * x) ** 2))
  return {
    perHour,
    error: Math.sqrt(left / free / square),
    mean: meanOf(samples.map(({ value }) => value)),
    hours: span,
  }
}

/** Three errors above nothing, and enough over the whole run to be worth a word: a twentieth. */
export function isRising({ perHour, error, mean, hours }: Slope): boolean {
  return perHour > 3 * error && perHour * hours > Math.abs(mean) / 20
}

function blocksOf(life: readonly Sample[]): Array<{ hours: number; value: number }> {
  return Array.from({ length: Math.floor(life.length / TOGETHER) }, (_, n) => {
    const block = life.slice(n * TOGETHER, (n + 1) * TOGETHER)
    return { hours: meanOf(block.map((one) => one.hours)), value: meanOf(block.map((one) => one.value)) }
  })
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

function meanOf(values: readonly number[]): number {
  return values.length === 0 ? 0 : sum(values) / values.length
}
