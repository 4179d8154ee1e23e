// What a change of a record means for the history, whoever causes it: every change of the status, with its moment in the
// record, and of what the agent has used. The store passes each change through here; nobody else writes these events.
import type { OtherEvent, SessionEventBody } from '../../contract/events.ts'
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
