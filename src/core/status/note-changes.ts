// What a change of a record means for the history, whoever causes it: every change of the status, with its moment in the
// record, and of what the agent has used. The store passes each change through here; nobody else writes these events.
import type { OtherEvent, SessionEvent, SessionEventBody } from '../../contract/events.ts'
import { readRecord, type SessionRecord } from '../../contract/record.ts'

type Pairs = Readonly<Record<string, string>>

export interface RecordStep {
  before: Pairs
  after: Pairs
  events: readonly OtherEvent[]
  /** Why the status changed, in words, if it did. */
  why: readonly string[]
  now: Date
}

export function noteChanges({ before, after, events, why, now }: RecordStep): {
  pairs: Record<string, string>
  events: SessionEventBody[]
} {
  const { statusBefore: _noted, ...rest } = after
  const was = readRecord(before)
  const is = readRecord(after)
  const noted = [...changedInside(was), ...events, ...usageEvents(was, is)]
  if (is.status === undefined || was.status === is.status) return { pairs: rest, events: noted }
  const pairs = { ...rest, statusSince: now.toISOString() }
  // A new record begins with its own event.
  if (Object.keys(before).length === 0) return { pairs, events: noted }
  const from = was.status ?? null
  return { pairs, events: [...noted, { type: 'status.changed', from, to: is.status, evidence: [...why] }] }
}

/** The wrappers inside a session write the record only. */
function changedInside({ status, statusBefore }: SessionRecord): SessionEventBody[] {
  if (status === undefined || statusBefore === undefined || statusBefore === status) return []
  return [{ type: 'status.changed', from: statusBefore, to: status, evidence: ['written from inside the session'] }]
}

/** The cost of a turn that is running is known before its tokens are. */
function usageEvents(was: SessionRecord, is: SessionRecord): SessionEventBody[] {
  if (is.usageTokens === was.usageTokens && is.usageCostUsd === was.usageCostUsd) return []
  return [{ type: 'usage', tokens: is.usageTokens ?? 0, costUsd: is.usageCostUsd ?? null }]
}

// A process that died after the history and before the record has noted changes of the status already; whoever does the same
// again must not note them twice. The same change may also happen twice: an agent sets its status back by a wrapper, and ao
// derives it anew. The record tells them apart: what the history has and the record does not know of is younger than its status.

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
