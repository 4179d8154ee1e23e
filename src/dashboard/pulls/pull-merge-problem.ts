// Why a pull request cannot be merged now, in words. Pure.
import { mergeObstacle } from '../../forge/merge/merge-pull.ts'
import type { PrSnapshot, Scm } from '../../slots/scm.ts'
import type { KnownPull } from './pull-reading.ts'

/** null: it can, as far as is known. Merging checks again. */
export function mergeProblem(known: KnownPull, scm: Scm | null): string | null {
  if (known.kind === 'remote') return known.staleReason ?? remoteProblem(known.snapshot, scm)
  const { view } = known
  if (view.state !== 'open') return `it is ${view.state}`
  if (view.hasConflicts) return `it conflicts with ${view.pull.base}`
  return mergeObstacle(view, {})?.why ?? null
}

function remoteProblem(snapshot: PrSnapshot, scm: Scm | null): string | null {
  const { state, pr, ci, review, checks } = snapshot
  if (state !== 'open') return `it is ${state}`
  if (scm?.mergePR === undefined) return 'it can only be merged on its own page'
  if (pr.isDraft) return 'it is a draft'
  if (snapshot.hasConflicts) return `it conflicts with ${pr.baseBranch ?? 'its base branch'}`
  if (review === 'changes_requested') return 'changes are requested'
  if (ci === 'failing' || ci === 'pending') {
    const open = checks.filter(({ status }) => status !== 'passed' && status !== 'skipped')
    return `checks have not passed: ${open.map(({ name, status }) => `${name} (${status})`).join(', ')}`
  }
  return snapshot.mergeable === false ? 'the forge says that it cannot be merged yet' : null
}
