// Why a pull request is not merged, or does not board the train, as far as that is known before anybody tries. Pure.
import type { Pull, Review } from '../../contract/pull.ts'

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

/**
 * A diff is shown, and rules are judged, from the one commit where a branch left its base. Where histories cross there are several,
 * and git merges from all of them: what the base branch has could be undone, and no diff would show that.
 */
export function forkProblem(
  mergeBases: readonly string[],
  { base, head }: { base: string; head: string },
): { why: string; hint: string } | null {
  if (mergeBases.length === 1) return null
  if (mergeBases.length === 0)
    return { why: `it has no history in common with ${base}`, hint: `Make its commits again on a branch of ${base}` }
  const why = `its history crosses that of ${base}, so that its diff does not show everything it would change`
  return { why, hint: `Merge ${base} into ${head}, and review it again` }
}

/** Somebody approved this very head, whatever it was for then, and nobody who reviewed it wants changes. */
export function isHeadApproved(reviews: readonly Review[], headSha: string): boolean {
  const last = new Map<string, Review['state']>()
  for (const { author, state, commit } of reviews)
    if (commit === headSha && state !== 'commented') last.set(author.login, state)
  const verdicts = [...last.values()]
  return verdicts.includes('approved') && !verdicts.includes('changes_requested')
}
