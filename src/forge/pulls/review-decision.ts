// What the reviews of a pull request amount to for one commit. Pure.
import type { LocalPull } from './pull-events.ts'

/** Reviews of other commits do not count: a new push needs a new review. Only each person's last verdict counts. */
export function reviewDecision(
  pull: Pick<LocalPull, 'reviews' | 'draft'>,
  headSha: string,
): 'approved' | 'changes_requested' | 'pending' | 'none' {
  const last = new Map<string, 'approved' | 'changes_requested'>()
  for (const { author, state, commit } of pull.reviews) {
    if (commit === headSha && state !== 'commented') last.set(author, state)
  }
  const words = [...last.values()]
  if (words.includes('changes_requested')) return 'changes_requested'
  if (words.includes('approved')) return 'approved'
  return pull.draft ? 'none' : 'pending'
}
