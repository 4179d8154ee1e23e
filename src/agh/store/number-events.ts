// Events get their numbers and times immediately, in the order they happened, and keep them unless they are refused before
// anybody has seen them.
import type { EventDraft, EventRow } from '../../contract/agh/events.ts'
import type { Clock } from '../../lib/clock.ts'

export interface Numbering {
  clock: Clock
  last: number
  /** Not committed yet. */
  pending: EventRow[]
  /** The newest time of an event, in both forms: many events share one. */
  stamp: { ms: number; iso: string }
}

/** Refused, so it did not happen. Nobody has seen the numbers after it yet: they move up. */
export function withdraw(state: Numbering, row: EventRow): void {
  const at = state.pending.indexOf(row)
  if (at === -1) return
  state.pending.splice(at, 1)
  for (const later of state.pending.slice(at)) later.sequence--
  state.last--
}

export function number(state: Numbering, draft: EventDraft): EventRow {
  const row: EventRow = {
    sequence: state.last + 1,
    turn_id: draft.turn_id,
    type: draft.type,
    timestamp: timestamp(state),
    content: draft.json ?? JSON.stringify(draft.content),
  }
  state.last++
  state.pending.push(row)
  return row
}

function timestamp({ clock, stamp }: Numbering): string {
  const now = clock.now()
  if (now.getTime() !== stamp.ms) {
    stamp.ms = now.getTime()
    stamp.iso = now.toISOString()
  }
  return stamp.iso
}
