// The event log turn by turn, in the order in which the turns began.
import { type EventRow, type SessionEvent, toSessionEvent } from '../../../contract/agh/events.ts'

export interface TurnHistory {
  turn_id: string | null
  events: SessionEvent[]
}

export function groupByTurn(sessionId: string, rows: readonly EventRow[]): TurnHistory[] {
  const groups = new Map<string | null, TurnHistory>()
  for (const row of rows) {
    const group = groups.get(row.turn_id) ?? { turn_id: row.turn_id, events: [] }
    groups.set(row.turn_id, group)
    group.events.push(toSessionEvent(sessionId, row))
  }
  return [...groups.values()]
}
