// Which sessions began to need somebody since the board was last seen. Pure.
import type { SessionCard } from '../../../src/contract/dashboard/cards.ts'

type Need = NonNullable<SessionCard['need']>

/** Session to what it needs: the same need again is not news. */
export type SeenNeeds = ReadonlyMap<string, Need>

export function needsOf(cards: Iterable<SessionCard>): Map<string, Need> {
  const calling = [...cards].filter(({ column, need }) => column === 'needs_you' && need !== null)
  return new Map(calling.map(({ id, need }) => [id, need!]))
}

/** null: it is the first board, and nothing on it is new. */
export function newNeeds(before: SeenNeeds | null, cards: readonly SessionCard[]): SessionCard[] {
  if (before === null) return []
  const now = needsOf(cards)
  return cards.filter(({ id }) => now.has(id) && !isSame(before.get(id), now.get(id)!))
}

/** Its moment becomes more exact when it is recorded, and its words when they are read. */
function isSame(before: Need | undefined, now: Need): boolean {
  return before?.kind === now.kind && (before.since === now.since || before.matter === now.matter)
}
