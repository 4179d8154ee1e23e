// Since which commit a branch is red, according to results that a forge has, and may not have for every commit. They are asked
// for one by one, the newest commit first.

export type HostedResult = { state: 'passed' } | { state: 'failed'; check: string } | { state: 'running' | 'unknown' }

export type FirstRed =
  | { kind: 'green' }
  | { kind: 'waiting' }
  /** `commit`: the first red one; null: nobody can say. */
  | { kind: 'red'; check: string; commit: string | null }

export interface RedQuestion {
  /** Oldest first; the last is the head of the branch. */
  chain: readonly string[]
  /** Is the commit before the chain known to be green? */
  isAfterGreen: boolean
  resultOf(commit: string): Promise<HostedResult>
}

export async function findFirstRed({ chain, isAfterGreen, resultOf }: RedQuestion): Promise<FirstRed> {
  const head = await resultOf(chain.at(-1)!)
  if (head.state === 'passed') return { kind: 'green' }
  if (head.state !== 'failed') return { kind: 'waiting' }
  const { check } = head
  for (let at = chain.length - 1; at > 0; at--) {
    const before = await resultOf(chain[at - 1]!)
    if (before.state === 'running') return { kind: 'waiting' }
    if (before.state === 'passed') return { kind: 'red', check, commit: chain[at]! }
    // Pushed together with the next one: which of them it was, no result says.
    if (before.state === 'unknown') return { kind: 'red', check, commit: null }
  }
  return { kind: 'red', check, commit: isAfterGreen ? chain[0]! : null }
}
