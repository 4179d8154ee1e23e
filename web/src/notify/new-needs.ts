// Which sessions began to need somebody since the board was last seen. Pure.
import type { SessionCard } from '../../../src/contract/dashboard/cards.ts'

/** Session to what it needs: the same need again is not news. */
export type KnownNeeds = ReadonlyMap<string, string>

export function needsOf(cards: Iterable<SessionCard>): Map<string, string> {
  const calling = [...cards].filter(({ column, need }) => column === 'needs_you' && need !== null)
  return new Map(calling.map(({ id, need }) => [id, `${need!.kind} ${need!.since}`]))
}

/** null: it is the first board, and nothing on it is new. */
export function newNeeds(before: KnownNeeds | null, cards: readonly SessionCard[]): SessionCard[] {
  if (before === null) return []
  const now = needsOf(cards)
  return cards.filter(({ id }) => now.has(id) && now.get(id) !== before.get(id))
}
