// Why a pull request is not merged, or does not board the train, as far as that is known before anybody tries. Pure.
import type { Pull } from '../../contract/pull.ts'

export interface MergeRules {
  /** Even with failing or unfinished checks, or when changes are requested. */
  force?: boolean | undefined
  /** Agents may merge only what somebody approved. */
  needsApproval?: boolean | undefined
}

/** null: nothing is known to be in the way. */
export function mergeProblem(pull: Pull, { force, needsApproval }: MergeRules = {}): string | null {
  const { state, pr, headSha, review, ci, checks } = pull
  if (state !== 'open') return `it is ${state}`
  if (pr.isDraft) return 'it is a draft'
  if (needsApproval && review !== 'approved') return `nobody has approved ${headSha.slice(0, 10)}`
  if (pull.hasConflicts) return `it conflicts with ${pr.baseBranch ?? 'its base branch'}`
  if (force) return null
  if (review === 'changes_requested') return 'changes are requested'
  if (ci === 'failing' || ci === 'pending') {
    const open = checks.filter(({ status }) => status !== 'passed' && status !== 'skipped')
    return `checks have not passed: ${open.map(({ name, status }) => `${name} (${status})`).join(', ')}`
  }
  return pull.mergeable === false ? 'the forge says that it cannot be merged yet' : null
}

/** Why not even a person's word lets it ride to this branch. */
export function boardingProblem({ state, pr, review, checks }: Pull, base: string): string | null {
  if (state !== 'open') return `it is ${state}`
  if (pr.isDraft) return 'it is a draft'
  if (review === 'changes_requested') return 'changes are requested'
  if (pr.baseBranch !== undefined && pr.baseBranch !== base)
    return `its base is ${pr.baseBranch}, and the train goes to ${base}`
  const failed = checks.find(({ isRule, status }) => isRule === true && status === 'failed')
  return failed ? `${failed.name} does not allow it` : null
}
