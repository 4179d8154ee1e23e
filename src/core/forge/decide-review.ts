// What the reviews of a pull request amount to for its head, on every forge that keeps verdicts when more is pushed. Pure.

export interface Verdict {
  state: 'approved' | 'changes_requested'
  /** The head it was given for; null: unknown. */
  commit: string | null
  /** When it was given, ISO 8601; '': unknown. */
  at: string
}

export interface ReviewFacts {
  headSha: string | null
  /** When its base became another one, by a new name or by force, ISO 8601. */
  baseChanges: readonly string[]
  /** The last verdict of each person whose verdict counts. */
  verdicts: readonly Verdict[]
  /** The forge's own rules want more approvals. */
  lacksApproval: boolean
  /** Somebody was asked for a review. */
  isAwaited: boolean
}

/**
 * A verdict belongs to the commit it was given for, and an approval also to what that changed then: on another base the same
 * commit is another change, whatever the forge makes of it. Who asked for changes and got a new head is awaited again: until then
 * nobody's approval counts, and the agent has nothing to do. A request for an unknown commit stands.
 */
export function decideReview(facts: ReviewFacts): 'approved' | 'changes_requested' | 'pending' | 'none' {
  const { headSha, verdicts } = facts
  const requests = verdicts.filter(({ state }) => state === 'changes_requested')
  if (requests.some(({ commit }) => isRequestFor(commit, headSha))) return 'changes_requested'
  if (requests.length > 0 || facts.lacksApproval) return 'pending'
  const approvals = verdicts.filter(({ state }) => state === 'approved')
  if (approvals.length > 0) return approvals.some((one) => isAbout(one, facts)) ? 'approved' : 'pending'
  return facts.isAwaited ? 'pending' : 'none'
}

/** Times of one second may be in either order: then it was given before. */
function isAbout({ commit, at }: Verdict, { headSha, baseChanges }: ReviewFacts): boolean {
  if (commit === null || commit !== headSha) return false
  return baseChanges.every((change) => Date.parse(at) > Date.parse(change))
}

/** Is a request for changes, given for that commit, still to be answered by a new head? */
export function isRequestFor(commit: string | null, headSha: string | null): boolean {
  return commit === null || commit === headSha
}
