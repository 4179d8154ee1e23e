// Its own pull requests by number, where their addresses would leave no room for what is said about them.
import type { SessionCard } from '../../../../src/contract/dashboard/cards.ts'

export function namePulls(text: string, { pr, otherPulls }: Pick<SessionCard, 'pr' | 'otherPulls'>): string {
  return [pr, ...otherPulls].reduce(
    (named, pull) => (pull && pull.number !== null ? named.replaceAll(pull.url, `#${pull.number}`) : named),
    text,
  )
}
