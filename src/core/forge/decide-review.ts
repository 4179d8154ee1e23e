// What the reviews of a pull request amount to for its head, on every forge that keeps verdicts when more is pushed. Pure.

export interface Verdict {
  state: 'approved' | 'changes_requested'
  /** The head it was given for; null: unknown. */
  commit: string | null
}

export interface ReviewFacts {
  headSha: string | null
  /** The last verdict of each person whose verdict counts. */
  verdicts: readonly Verdict[]
  /** The forge's own rules want more approvals. */
  lacksApproval: boolean
  /** Somebody was asked for a review. */
  isAwaited: boolean
}

/**
 * A verdict belongs to the commit it was given for. Who asked for changes and got a new head is awaited again: until then
 * nobody's approval counts, and the agent has nothing to do. A request for an unknown commit stands.
 */
export function decideReview(facts: ReviewFacts): 'approved' | 'changes_requested' | 'pending' | 'none' {
  const { headSha, verdicts } = facts
  const requests = verdicts.filter(({ state }) => state === 'changes_requested')
  if (requests.some(({ commit }) => isRequestFor(commit, headSha))) return 'changes_requested'
  if (requests.length > 0 || facts.lacksApproval) return 'pending'
  const approvals = verdicts.filter(({ state }) => state === 'approved')
  if (approvals.length > 0)
    return approvals.some(({ commit }) => commit !== null && commit === headSha) ? 'approved' : 'pending'
  return facts.isAwaited ? 'pending' : 'none'
}

/** Is a request for changes, given for that commit, still to be answered by a new head? */
export function isRequestFor(commit: string | null, headSha: string | null): boolean {
  return commit === null || commit === headSha
}
