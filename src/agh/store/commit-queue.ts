// Writes that wait to be committed: numbered immediately, committed in batches, in numeric order. Waiting for another
// program's lock on the file does not block anything else.
import type { EventDraft, EventRow } from '../../contract/agh/events.ts'
import type { Clock } from '../../lib/clock.ts'
import { failpoint } from '../../lib/failpoint.ts'
import { type Bookmark, type Numbering, number, prepareCommit, type StoreRecord, withdraw } from './commit-rows.ts'
import { BUSY_RETRY_MS, BUSY_TIMEOUT_MS, type Connection, isBusy } from './database.ts'

export interface EventStoreOptions {
  clock: Clock
  /** The next number is above this one, whatever the file says. */
  floor: number
  /** A commit failed outside any call. Pending writes are kept and tried again with the next commit. */
  onFailure(error: unknown): void
}

/** The first event after a pause is committed immediately; in a stream, commits are at least this far apart. */
const COMMIT_INTERVAL_MS = 5
/** A batch larger than this is committed early. */
export const MAX_PENDING = 500
const RETRY_MS = 250

export interface CommitQueue extends Numbering {
  db: Connection
  options: EventStoreOptions
  committed: number
  records: StoreRecord[]
  scheduled: boolean
  /** The last commit failed. */
  failing: boolean
  /** Since when another program has held the lock; null while none does. */
  busySince: number | null
  committedAt: number
  recent: RecentRows
  listeners: Set<(rows: readonly EventRow[]) => void>
  waiting: Set<Waiter>
  bookmark: BookmarkSource | null
  /** It has moved since the last commit. */
  hasMoved: boolean
  /** How many steps are under way, one within another. */
  held: number
  commit(rows: readonly EventRow[], records: readonly StoreRecord[], bookmark: Bookmark | null): void
}

/** Committed together with the events that led to it. */
export interface BookmarkSource {
  read(): Bookmark
  /** The newest one that was read is on disk. */
  onCommitted(): void
}

/** What must be on disk together; without both, everything that is pending is meant. */
interface Wanted {
  row?: EventRow
  record?: StoreRecord | undefined
}

interface Waiter extends Wanted {
  resolve(): void
  reject(error: unknown): void
}

export function openQueue(db: Connection, options: EventStoreOptions): CommitQueue {
  const stored = db.prepare('SELECT max(sequence) AS last FROM events').get() as { last: number | null }
  const last = Math.max(stored.last ?? 0, options.floor)
  return {
    db,
    options,
    clock: options.clock,
    last,
    committed: last,
    pending: [],
    records: [],
    scheduled: false,
    failing: false,
    busySince: null,
    committedAt: Number.NEGATIVE_INFINITY,
    recent: createRecentRows(),
    listeners: new Set(),
    waiting: new Set(),
    bookmark: null,
    hasMoved: false,
    held: 0,
    commit: prepareCommit(db),
    stamp: { ms: Number.NaN, iso: '' },
  }
}

export function appendLater(state: CommitQueue, draft: EventDraft): void {
  // The owner knows that nothing can be written; until it has ended its agent, only this much is kept for later.
  if (state.failing && state.pending.length >= MAX_PENDING) return
  number(state, draft)
  if (state.held === 0 && isLarge(state)) commitWaiting(state)
  else schedule(state)
}

function isLarge({ failing, busySince, pending }: CommitQueue): boolean {
  return !failing && busySince === null && pending.length >= MAX_PENDING
}

/** With the next commit. */
export function moveBookmark(state: CommitQueue): void {
  state.hasMoved = true
  schedule(state)
}

export function keepRecord(state: CommitQueue, record: StoreRecord): void {
  state.records.push(record)
  schedule(state)
}

function schedule(state: CommitQueue): void {
  if (state.scheduled) return
  state.scheduled = true
  const commit = () => {
    state.scheduled = false
    commitWaiting(state)
  }
  const wait = waitBeforeCommit(state)
  if (wait > 0) setTimeout(commit, wait)
  else setImmediate(commit)
}

function waitBeforeCommit(state: CommitQueue): number {
  if (state.busySince !== null) return BUSY_RETRY_MS
  return state.failing ? RETRY_MS : state.committedAt + COMMIT_INTERVAL_MS - performance.now()
}

function commitWaiting(state: CommitQueue): void {
  if (!state.db.open) return
  try {
    flush(state)
  } catch (error) {
    if (waitsForLock(state, error)) schedule(state)
    else fail(state, error)
  }
}

/** A foreign lock is not a failure until it is held too long. */
function waitsForLock(state: CommitQueue, error: unknown): boolean {
  if (!isBusy(error)) {
    state.busySince = null
    return false
  }
  state.busySince ??= performance.now()
  return performance.now() - state.busySince < BUSY_TIMEOUT_MS
}

function fail(state: CommitQueue, error: unknown): void {
  state.failing = true
  const waiting = [...state.waiting]
  state.waiting.clear()
  for (const wanted of waiting) refuse(state, wanted)
  for (const { reject } of waiting) reject(error)
  if (state.pending.length > 0 || state.records.length > 0 || waiting.length === 0) state.options.onFailure(error)
}

/** Refused, so it did not happen. */
function refuse(state: CommitQueue, { row, record }: Wanted): void {
  if (row) withdraw(state, row)
  if (record) state.records = state.records.filter((one) => one !== record)
}

/** `record` is committed with it or not at all. */
export async function appendNow(state: CommitQueue, draft: EventDraft, record?: StoreRecord): Promise<EventRow> {
  const row = number(state, draft)
  if (record) state.records.push(record)
  failpoint('agh-event-before-commit')
  await commitNow(state, { row, record })
  failpoint('agh-event-after-commit')
  return row
}

export async function recordNow(state: CommitQueue, record: StoreRecord): Promise<void> {
  state.records.push(record)
  await commitNow(state, { record })
}

/** Until `release`, nothing is committed: what happens in one step is on disk as a whole or not at all. */
export function hold(state: CommitQueue): void {
  state.held++
}

export function release(state: CommitQueue): void {
  state.held--
  if (state.held === 0 && (isUrgent(state) || isLarge(state))) commitWaiting(state)
}

function isUrgent({ waiting }: CommitQueue): boolean {
  for (const { row, record } of waiting) if (row || record) return true
  return false
}

/** Forced to disk together with everything committed before. */
async function commitNow(state: CommitQueue, wanted: Wanted): Promise<void> {
  if (state.held > 0) return waitForCommit(state, wanted)
  try {
    flush(state, { durable: true })
  } catch (error) {
    if (waitsForLock(state, error)) return waitForCommit(state, wanted)
    state.failing = true
    refuse(state, wanted)
    throw error
  }
}

export function waitForCommit(state: CommitQueue, wanted: Wanted = {}): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  state.waiting.add({ ...wanted, resolve, reject })
  schedule(state)
  return promise
}

export function flush(state: CommitQueue, options = { durable: false }): void {
  const { pending: rows, records } = state
  if (rows.length === 0 && records.length === 0 && !state.hasMoved) return
  const isDurable = options.durable || isUrgent(state)
  if (isDurable) state.db.pragma('synchronous = FULL')
  try {
    state.commit(rows, records, state.bookmark?.read() ?? null)
  } catch (error) {
    if (!isBusy(error)) state.failing = true
    throw error
  } finally {
    if (isDurable) state.db.pragma('synchronous = NORMAL')
  }
  state.failing = false
  state.busySince = null
  failpoint('agh-write')
  state.pending = []
  state.records = []
  state.hasMoved = false
  state.committed = state.last
  state.committedAt = performance.now()
  state.recent.replace(rows)
  const waiting = [...state.waiting]
  state.waiting.clear()
  for (const { resolve } of waiting) resolve()
  state.bookmark?.onCommitted()
  if (rows.length > 0) for (const listener of [...state.listeners]) listener(rows)
}

export async function closeQueue(state: CommitQueue): Promise<void> {
  try {
    await flushPatiently(state)
    state.db.pragma('wal_checkpoint(TRUNCATE)')
  } finally {
    state.db.close()
    failpoint('agh-write')
  }
}

/** Resolves when everything pending is committed, or cannot be: its owner learns of that elsewhere. */
export async function settle(state: CommitQueue): Promise<void> {
  await flushPatiently(state).catch(() => undefined)
}

async function flushPatiently(state: CommitQueue): Promise<void> {
  try {
    flush(state)
  } catch (error) {
    if (!waitsForLock(state, error)) throw error
    await waitForCommit(state)
  }
}

/** The rows of the last commit in memory: readers that keep up with a stream need not query the database. */
interface RecentRows {
  /** The newest commit replaces the previous one. Its numbers are consecutive. */
  replace(rows: readonly EventRow[]): void
  /** null: they are older than what is held here. */
  readAfter(sequence: number, limit: number): EventRow[] | null
}

/** Every live session has its own, so large rows are not held. */
const MAX_CHARACTERS = 128 * 1024

function createRecentRows(): RecentRows {
  let held: readonly EventRow[] = []
  return {
    replace(rows) {
      const size = rows.reduce((sum, { content }) => sum + content.length, 0)
      held = size > MAX_CHARACTERS ? [] : rows
    },
    readAfter(sequence, limit) {
      const first = held[0]
      if (!first || sequence < first.sequence - 1) return null
      const from = sequence + 1 - first.sequence
      return held.slice(from, from + limit)
    },
  }
}
