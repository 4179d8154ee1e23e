// The status word derived from a record's facts. Commands, the loop and the wrappers write only facts; the store uses this
// for every change, and notes in the history what the change means, whoever causes it.

import type { OtherEvent, SessionEvent, SessionEventBody } from '../../contract/events.ts'
import { type RecordChange, readRecord, type SessionRecord, writeRecord } from '../../contract/record.ts'
import type { SessionStatus } from '../../contract/status.ts'
import { factsOfStatus } from './derive-status.ts'
import { decidingFacts, statusOfPr } from './recorded-facts.ts'

type Pairs = Readonly<Record<string, string>>

export function statusOfRecord(record: SessionRecord): SessionStatus {
  const { operation, endedAs, alarm, launched } = record
  const pr = decidingFacts(record)
  if (pr?.state === 'merged') return 'merged'
  if (operation === 'spawn' || operation === 'restore') return 'spawning'
  if (removes(record)) return endedAs === 'merged' ? 'merged' : 'cleanup'
  if (endedAs !== undefined) return endedAs
  if (alarm !== undefined) return alarm
  if (launched !== 'yes') return 'spawning'
  if (pr) return statusOfPr(pr)
  return record.pr === undefined ? 'working' : 'pr_open'
}

/** A kill that keeps the workspace only ends the agent: until then the status does not change. */
function removes({ operation, operationData }: SessionRecord): boolean {
  return operation === 'cleanup' || (operation === 'kill' && operationData?.keepWorkspace === false)
}

/** A session whose agent is running from now on. */
export const STARTED: RecordChange = {
  launched: 'yes',
  endedAs: null,
  alarm: null,
  paused: null,
  stopped: null,
  waitsSince: null,
  heldBack: null,
}

const FACTS = ['launched', 'endedAs', 'alarm', 'operation', 'operationData', 'pr', 'prFacts', 'otherPulls'] as const

/** A record after a change, with the status that follows from its facts. `createdAt` never changes once it is set. */
export function changeRecord(before: Pairs, change: RecordChange): Record<string, string> {
  const current = withWordAsFact(before)
  const after = merge(current, change)
  if (isNew(before) || FACTS.some((name) => current[name] !== after[name]) || isContradicted(current))
    return { ...after, status: statusOfRecord(readRecord(after)) }
  return merge(before, change)
}

function isNew(pairs: Pairs): boolean {
  return Object.keys(pairs).length === 0
}

function withWordAsFact(pairs: Pairs): Pairs {
  const record = readRecord(pairs)
  if (isNew(pairs) || record.status === statusOfRecord(record)) return pairs
  // Without a known word it counts as working, as when it is read.
  return merge(pairs, factsOfStatus(record.status ?? 'working'))
}

/** When the facts say more than the word, they win. Verdicts that only the word carries stand. */
function isContradicted(current: Pairs): boolean {
  const record = readRecord(current)
  const { status } = record
  if (status === undefined || status === statusOfRecord(record)) return false
  return decidingFacts(record) !== null || status === 'working' || status === 'spawning'
}

function merge(pairs: Pairs, change: RecordChange): Record<string, string> {
  const merged = new Map(Object.entries(pairs))
  for (const [key, value] of Object.entries(writeRecord(change))) {
    if (key === 'createdAt' && merged.has(key)) continue
    if (value === null) merged.delete(key)
    else merged.set(key, value)
  }
  return Object.fromEntries(merged)
}

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
