// Since which commit the base branch is red. Pure: results of trees go in, the next thing to test or the verdict comes out.
import type { TreeResult } from './decide-train.ts'

export interface WatchFacts {
  /** Commits of the base branch since the last green one, oldest first; the last is its head. */
  chain: readonly string[]
  /** Is the commit before the chain known to be green? */
  isAfterGreen: boolean
  resultOf(commit: string): TreeResult | null
}

export type WatchStep =
  | { kind: 'green' }
  | { kind: 'test'; commit: string }
  | { kind: 'waiting' }
  /** `commit`: the first red one; null: it was red as far back as anyone knows. */
  | { kind: 'red'; check: string; commit: string | null }

/** Halves what lies between the last green commit and the first red one, until nothing does. */
export function decideWatch({ chain, isAfterGreen, resultOf }: WatchFacts): WatchStep {
  const head = chain.at(-1)
  if (head === undefined) return { kind: 'green' }
  const result = resultOf(head)
  if (result?.state === 'passed') return { kind: 'green' }
  if (result?.state !== 'failed') return result === null ? { kind: 'test', commit: head } : { kind: 'waiting' }
  const { check } = result
  if (!isAfterGreen) return { kind: 'red', check, commit: null }
  let [green, red] = [-1, chain.length - 1]
  while (red - green > 1) {
    const middle = Math.floor((green + red) / 2)
    const found = resultOf(chain[middle]!)
    if (found === null) return { kind: 'test', commit: chain[middle]! }
    if (found.state === 'running') return { kind: 'waiting' }
    if (found.state === 'passed') green = middle
    else red = middle
  }
  return { kind: 'red', check, commit: chain[red]! }
}
