// The history of one session. Events get their number at once, in the order in which they happened; they are committed
// many at a time, and only then shown to anyone. A lock that another program holds on the file is waited for without
// blocking anybody else.
import type { EventDraft, EventRow } from '../../contract/agh/events.ts'
import type { Clock } from '../../lib/clock.ts'
import { failpoint } from '../../lib/failpoint.ts'
import { prepareCommit, type StoreRecord } from './commit-rows.ts'
import { BUSY_PATIENCE_MS, BUSY_RETRY_MS, type Connection, isBusy } from './database.ts'
import { createRecentRows, type RecentRows } from './recent-rows.ts'

export interface EventStore {
  /** Committed with what else happens now; readers see it after that. */
  append(draft: EventDraft): void
  /** Resolves when it is on the disk. Without a foreign lock that is before this call returns. */
  appendDurable(draft: EventDraft): Promise<EventRow>
  /** Commits what waits. */
  flush(): void
  /** The newest number that was given. */
  lastSequence(): number
  /** The newest number that readers can see. */
  committedSequence(): number
  readAfter(sequence: number, limit: number): EventRow[]
  readLast(limit: number): EventRow[]
  /** Committed together with the events that wait. */
  recordUsage(turnId: string, usage: object): void
  recordHookRun(run: HookRun): void
  /** Resolves when what waits has been committed; null while so little waits that more may come. */
  backlog(): Promise<void> | null
  /** Called with each commit. Returns how to unsubscribe. */
  subscribe(listener: (rows: readonly EventRow[]) => void): () => void
  close(): Promise<void>
}

export interface HookRun {
  event: string
  command: string
  required: boolean
  outcome: 'ok' | 'failed'
  detail: string
  durationMs: number
}

export interface EventStoreOptions {
  clock: Clock
  /** The next number is above this one, whatever the file says. */
  floor: number
  /** A commit failed outside of any call. What waited is kept and tried again with the next commit. */
  onFailure(error: unknown): void
}

/** The first event after a silence is committed at once; in a stream, commits are at least this far apart. */
const COMMIT_INTERVAL_MS = 5
/** More than this does not wait for its time. */
const MAX_PENDING = 500
const RETRY_MS = 250

interface State {
  db: Connection
  options: EventStoreOptions
  last: number
  committed: number
  pending: EventRow[]
  records: StoreRecord[]
  scheduled: boolean
  /** The last commit failed. */
  failing: boolean
  /** Since when another program has held the lock; null while nobody does. */
  busySince: number | null
  committedAt: number
  recent: RecentRows
  listeners: Set<(rows: readonly EventRow[]) => void>
  waiting: Set<Waiter>
  commit(rows: readonly EventRow[], records: readonly StoreRecord[]): void
  /** The newest time of an event, in both forms: many events share one. */
  stamp: { ms: number; iso: string }
}

interface Waiter {
  /** null: it waits for all that is pending. */
  row: EventRow | null
  resolve(): void
  reject(error: unknown): void
}

export function createEventStore(db: Connection, options: EventStoreOptions): EventStore {
  const state = openState(db, options)
  const after = db.prepare('SELECT * FROM events WHERE sequence > ? ORDER BY sequence LIMIT ?')
  const newest = db.prepare('SELECT * FROM (SELECT * FROM events ORDER BY sequence DESC LIMIT ?) ORDER BY sequence')
  const now = () => options.clock.now().toISOString()
  return {
    append: (draft) => appendLater(state, draft),
    appendDurable: (draft) => appendNow(state, draft),
    flush: () => flush(state),
    lastSequence: () => state.last,
    committedSequence: () => state.committed,
    readAfter: (sequence, limit) =>
      state.recent.readAfter(sequence, limit) ?? (after.all(sequence, limit) as EventRow[]),
    readLast: (limit) => newest.all(limit) as EventRow[],
    recordUsage: (turnId, usage) => keep(state, { table: 'token_usage', turnId, usage, at: now() }),
    recordHookRun: (run) => keep(state, { table: 'hook_runs', ...run, at: now() }),
    backlog: () => (state.pending.length < MAX_PENDING ? null : waitForCommit(state, null)),
    subscribe(listener) {
      state.listeners.add(listener)
      return () => state.listeners.delete(listener)
    },
    close: () => close(state),
  }
}

function openState(db: Connection, options: EventStoreOptions): State {
  const stored = db.prepare('SELECT max(sequence) AS last FROM events').get() as { last: number | null }
  const last = Math.max(stored.last ?? 0, options.floor)
  return {
    db,
    options,
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
    commit: prepareCommit(db),
    stamp: { ms: Number.NaN, iso: '' },
  }
}

function appendLater(state: State, draft: EventDraft): void {
  // The owner knows that nothing can be written; until it has ended its agent, only so much is kept for better times.
  if (state.failing && state.pending.length >= MAX_PENDING) return
  number(state, draft)
  if (!state.failing && state.busySince === null && state.pending.length >= MAX_PENDING) commitWaiting(state)
  else schedule(state)
}

function keep(state: State, record: StoreRecord): void {
  state.records.push(record)
  schedule(state)
}

function schedule(state: State): void {
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

function waitBeforeCommit(state: State): number {
  if (state.busySince !== null) return BUSY_RETRY_MS
  return state.failing ? RETRY_MS : state.committedAt + COMMIT_INTERVAL_MS - performance.now()
}

function commitWaiting(state: State): void {
  if (!state.db.open) return
  try {
    flush(state)
  } catch (error) {
    if (waitsForLock(state, error)) schedule(state)
    else fail(state, error)
  }
}

/** A foreign lock is no failure as long as it is not held too long. */
function waitsForLock(state: State, error: unknown): boolean {
  if (!isBusy(error)) {
    state.busySince = null
    return false
  }
  state.busySince ??= performance.now()
  return performance.now() - state.busySince < BUSY_PATIENCE_MS
}

function fail(state: State, error: unknown): void {
  state.failing = true
  const waiting = [...state.waiting]
  state.waiting.clear()
  for (const { row } of waiting) if (row) withdraw(state, row)
  for (const { reject } of waiting) reject(error)
  if (state.pending.length > 0 || state.records.length > 0 || waiting.length === 0) state.options.onFailure(error)
}

/** Forced to the disk, and with it all that was committed before. */
async function appendNow(state: State, draft: EventDraft): Promise<EventRow> {
  const row = number(state, draft)
  failpoint('agh-event-before-commit')
  try {
    flush(state, { durable: true })
  } catch (error) {
    if (!waitsForLock(state, error)) {
      state.failing = true
      withdraw(state, row)
      throw error
    }
    await waitForCommit(state, row)
  }
  failpoint('agh-event-after-commit')
  return row
}

function waitForCommit(state: State, row: EventRow | null): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  state.waiting.add({ row, resolve, reject })
  schedule(state)
  return promise
}

/** Refused, so it did not happen. Nobody has seen the numbers behind it yet: they move up. */
function withdraw(state: State, row: EventRow): void {
  const at = state.pending.indexOf(row)
  if (at === -1) return
  state.pending.splice(at, 1)
  for (const later of state.pending.slice(at)) later.sequence--
  state.last--
}

function number(state: State, draft: EventDraft): EventRow {
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

function timestamp({ options, stamp }: State): string {
  const now = options.clock.now()
  if (now.getTime() !== stamp.ms) {
    stamp.ms = now.getTime()
    stamp.iso = now.toISOString()
  }
  return stamp.iso
}

function flush(state: State, options = { durable: false }): void {
  const { pending: rows, records } = state
  if (rows.length === 0 && records.length === 0) return
  const isDurable = options.durable || [...state.waiting].some(({ row }) => row !== null)
  if (isDurable) state.db.pragma('synchronous = FULL')
  try {
    state.commit(rows, records)
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
  state.committed = state.last
  state.committedAt = performance.now()
  state.recent.replace(rows)
  const waiting = [...state.waiting]
  state.waiting.clear()
  for (const { resolve } of waiting) resolve()
  if (rows.length > 0) for (const listener of [...state.listeners]) listener(rows)
}

async function close(state: State): Promise<void> {
  try {
    await flushPatiently(state)
    state.db.pragma('wal_checkpoint(TRUNCATE)')
  } finally {
    state.db.close()
    failpoint('agh-write')
  }
}

async function flushPatiently(state: State): Promise<void> {
  try {
    flush(state)
  } catch (error) {
    if (!waitsForLock(state, error)) throw error
    await waitForCommit(state, null)
  }
}
