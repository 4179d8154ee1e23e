// Which pull requests conflict with each other, by merging them for real: the radar may not have seen them yet, and sees heads
// that already hold what the base branch holds as in conflict with everything that conflicts with that.
import type { TrainState } from '../../core/landing/train-state.ts'
import { askConflicts, type CommitPair, hasConflicts } from '../../git/merge-memory.ts'
import type { ObservedPull } from '../pulls/pull-view.ts'
import type { LocalForge } from '../types.ts'

/** Pairs grow with the square of it. */
const MOST_COMPARED = 24

/** Of those that are aboard, in conflict with the base branch or asked to rebase. */
export async function findCollisions(
  forge: LocalForge,
  { riders, left }: TrainState,
  views: readonly ObservedPull[],
): Promise<(a: number, b: number) => boolean> {
  const requested = new Map(left.flatMap(({ pull, headSha, why }) => (why === 'conflict' ? [[pull, headSha]] : [])))
  const aboard = new Set(riders.map(({ pull }) => pull))
  const compared = views
    .filter(({ pr, hasConflicts }) => hasConflicts === true || aboard.has(pr.number) || requested.has(pr.number))
    .slice(0, MOST_COMPARED)
    // As it was when it was asked: what it was rebased onto is not its own.
    .map(({ pr, headSha }) => ({ number: pr.number, head: requested.get(pr.number) ?? headSha }))
  const pairs = compared.flatMap((one, index) =>
    compared.slice(index + 1).map((other) => ({ one, other, pair: { head: other.head, base: one.head } })),
  )
  const merges: CommitPair[] = pairs.map(({ pair }) => pair)
  await askConflicts(forge.memory, forge.repository(), merges)
  const found = new Set<string>()
  for (const { one, other, pair } of pairs)
    if ((await hasConflicts(forge.memory, forge.repository(), pair)) === true)
      found.add(`${one.number} ${other.number}`)
  return (a, b) => found.has(`${a} ${b}`) || found.has(`${b} ${a}`)
}
