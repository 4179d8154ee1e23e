// The history of one session. Events get their number at once, in the order in which they happened; they are committed
// many at a time, and only then shown to anyone.
import type { EventDraft, EventRow } from '../../contract/agh/events.ts'
import type { Clock } from '../../lib/clock.ts'
import { failpoint } from '../../lib/failpoint.ts'
import { prepareCommit } from './commit-rows.ts'
import type { Connection } from './database.ts'
import { createRecentRows, type RecentRows } from './recent-rows.ts'

export interface EventStore {
  /** Committed with what else happens now; readers meet it after that. */
  append(draft: EventDraft): void
  /** On the disk when this returns. */
  appendDurable(draft: EventDraft): EventRow
  /** Commits what waits. */
  flush(): void
  lastSequence(): number
  readAfter(sequence: number, limit: number): EventRow[]
  readLast(limit: number): EventRow[]
  recordUsage(turnId: string, usage: object): void
  recordHookRun(run: HookRun): void
  /** Called with each commit. Returns how to end it. */
  subscribe(listener: (rows: readonly EventRow[]) => void): () => void
  close(): void
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
  pending: EventRow[]
  scheduled: boolean
  /** The last commit failed. */
  failing: boolean
  committedAt: number
  recent: RecentRows
  listeners: Set<(rows: readonly EventRow[]) => void>
  commit(rows: readonly EventRow[]): void
  /** The newest time of an event, in both forms: many events share one. */
  stamp: { ms: number; iso: string }
}

export function createEventStore(db: Connection, options: EventStoreOptions): EventStore {
  const state = openState(db, options)
  const after = db.prepare('SELECT * FROM events WHERE sequence > ? ORDER BY sequence LIMIT ?')
  const newest = db.prepare('SELECT * FROM (SELECT * FROM events ORDER BY sequence DESC LIMIT ?) ORDER BY sequence')
  const usage = db.prepare('INSERT OR REPLACE INTO token_usage VALUES (?, ?, ?)')
  const hook = db.prepare('INSERT INTO hook_runs VALUES (NULL, ?, ?, ?, ?, ?, ?, ?)')
  const now = () => options.clock.now().toISOString()
  return {
    append: (draft) => appendLater(state, draft),
    appendDurable: (draft) => appendNow(state, draft),
    flush: () => flush(state),
    lastSequence: () => state.last,
    readAfter: (sequence, limit) =>
      state.recent.readAfter(sequence, limit) ?? (after.all(sequence, limit) as EventRow[]),
    readLast: (limit) => newest.all(limit) as EventRow[],
    recordUsage(turnId, value) {
      usage.run(turnId, JSON.stringify(value), now())
      failpoint('agh-write')
    },
    recordHookRun(run) {
      hook.run(run.event, run.command, Number(run.required), run.outcome, run.detail, run.durationMs, now())
      failpoint('agh-write')
    },
    subscribe(listener) {
      state.listeners.add(listener)
      return () => state.listeners.delete(listener)
    },
    close() {
      try {
        flush(state)
        // A stranger who reads the file just now must not hold us up.
        db.pragma('busy_timeout = 0')
        db.pragma('wal_checkpoint(TRUNCATE)')
      } finally {
        db.close()
        failpoint('agh-write')
      }
    },
  }
}

function openState(db: Connection, options: EventStoreOptions): State {
  const stored = db.prepare('SELECT max(sequence) AS last FROM events').get() as { last: number | null }
  return {
    db,
    options,
    last: Math.max(stored.last ?? 0, options.floor),
    pending: [],
    scheduled: false,
    failing: false,
    committedAt: Number.NEGATIVE_INFINITY,
    recent: createRecentRows(),
    listeners: new Set(),
    commit: prepareCommit(db),
    stamp: { ms: Number.NaN, iso: '' },
  }
}

function appendLater(state: State, draft: EventDraft): void {
  // The owner knows that nothing can be written; until it has ended its agent, only so much is kept for better times.
  if (state.failing && state.pending.length >= MAX_PENDING) return
  number(state, draft)
  if (!state.failing && state.pending.length >= MAX_PENDING) commitWaiting(state)
  else if (!state.scheduled) schedule(state)
}

function schedule(state: State): void {
  state.scheduled = true
  const commit = () => {
    state.scheduled = false
    commitWaiting(state)
  }
  const wait = state.failing ? RETRY_MS : state.committedAt + COMMIT_INTERVAL_MS - performance.now()
  if (wait > 0) setTimeout(commit, wait)
  else setImmediate(commit)
}

function commitWaiting(state: State): void {
  if (!state.db.open) return
  try {
    flush(state)
  } catch (error) {
    state.options.onFailure(error)
  }
}

/** synchronous=FULL for this one commit: the log is forced to the disk, and with it all that was committed before. */
function appendNow(state: State, draft: EventDraft): EventRow {
  const row = number(state, draft)
  failpoint('agh-event-before-commit')
  state.db.pragma('synchronous = FULL')
  try {
    flush(state)
  } catch (error) {
    // Refused, so it did not happen: its number is free again.
    if (state.pending.at(-1) === row) {
      state.pending.pop()
      state.last--
    }
    throw error
  } finally {
    state.db.pragma('synchronous = NORMAL')
  }
  failpoint('agh-event-after-commit')
  return row
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

function flush(state: State): void {
  if (state.pending.length === 0) return
  const rows = state.pending
  state.failing = true
  state.commit(rows)
  state.failing = false
  failpoint('agh-write')
  state.pending = []
  state.committedAt = performance.now()
  state.recent.replace(rows)
  for (const listener of [...state.listeners]) listener(rows)
}
