// The status word derived from a record's facts. Commands, the loop and the wrappers write only facts; the store uses this
// to derive the word beside them. A word that the facts do not explain was written by an older version, by a script or by
// the agent itself: then the word is the fact, until the facts change.
import { type RecordChange, readRecord, type SessionRecord, writeRecord } from '../../contract/record.ts'
import { type SessionStatus, TERMINAL_STATUSES } from '../../contract/status.ts'
import { statusOfStarted } from './derive-status.ts'
import { recordedPrFacts } from './recorded-facts.ts'

type Pairs = Readonly<Record<string, string>>

export function statusOfRecord(record: SessionRecord): SessionStatus {
  const { operation, endedAs, alarm, launched } = record
  const pr = recordedPrFacts(record)
  if (pr?.state === 'merged') return 'merged'
  if (operation === 'spawn' || operation === 'restore') return 'spawning'
  if (removes(record)) return endedAs === 'merged' ? 'merged' : 'cleanup'
  if (endedAs !== undefined) return endedAs
  if (alarm !== undefined) return alarm
  return launched === 'yes' ? statusOfStarted({ hasPr: record.pr !== undefined, pr }) : 'spawning'
}

/** A kill that keeps the workspace only ends the agent: until then the status does not change. */
function removes({ operation, operationData }: SessionRecord): boolean {
  return operation === 'cleanup' || (operation === 'kill' && operationData?.keepWorkspace === false)
}

/** The facts of a session of which only the status word is known. */
export function factsOfStatus(status: SessionStatus): RecordChange {
  if (TERMINAL_STATUSES.has(status)) return { endedAs: status, alarm: null }
  const alarm = status === 'needs_input' || status === 'stuck' ? status : null
  return { launched: status === 'spawning' ? null : 'yes', endedAs: null, alarm }
}

/** A session whose agent is running from now on. */
export const STARTED: RecordChange = { launched: 'yes', endedAs: null, alarm: null, paused: null }

const FACTS = ['launched', 'endedAs', 'alarm', 'operation', 'operationData', 'pr', 'prFacts'] as const

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
  return recordedPrFacts(record) !== null || status === 'working' || status === 'spawning'
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
