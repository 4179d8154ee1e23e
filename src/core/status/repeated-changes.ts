// A process that died after the history and before the record has noted changes of the status already; whoever does the same
// again must not note them twice. The same change may also happen twice: an agent sets its status back by a wrapper, and ao
// derives it anew. The record tells them apart: what the history has and the record does not know of is younger than its status.
import type { SessionEvent, SessionEventBody } from '../../contract/events.ts'

export interface NotedHistory {
  /** The newest events, in order. */
  recent: readonly SessionEvent[]
  /** Since when the record has its status; null: it does not say. */
  since: Date | null
}

type Change = Extract<SessionEventBody, { type: 'status.changed' }>

/** The events that are not in the history yet. */
export function withoutRepeated(events: readonly SessionEventBody[], history: NotedHistory): SessionEventBody[] {
  const changes = events.filter(isChange)
  const noted = history.recent.filter(isChange).filter(({ at }) => isYounger(at, history.since))
  // The last of what is noted is where the first of what is to be noted begins.
  const lengths = changes.map((_, index) => index + 1).filter((length) => length <= noted.length)
  const repeated = lengths.findLast((length) =>
    noted.slice(-length).every(({ from, to }, index) => from === changes[index]?.from && to === changes[index].to),
  )
  const repeats = new Set<SessionEventBody>(changes.slice(0, repeated ?? 0))
  return events.filter((event) => !repeats.has(event))
}

function isChange<T extends SessionEventBody>(event: T): event is T & Change {
  return event.type === 'status.changed'
}

function isYounger(at: string, since: Date | null): boolean {
  return since === null || !(Date.parse(at) < since.getTime())
}
