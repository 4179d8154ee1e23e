// The event log of one session: readers see an event once it is committed.
import type { EventDraft, EventRow } from '../../contract/agh/events.ts'
import type { WaitingMessage } from '../../core/agh/session/waiting-prompt.ts'
import {
  appendLater,
  appendNow,
  type BookmarkSource,
  type CommitQueue,
  closeQueue,
  type EventStoreOptions,
  flush,
  hold,
  keepRecord,
  MAX_PENDING,
  moveBookmark,
  openQueue,
  recordNow,
  release,
  settle,
  waitForCommit,
} from './commit-queue.ts'
import type { Connection } from './database.ts'
import { attachedHashes, EVENTS_AFTER, LAST_EVENTS, toWaiting, WAITING, type WaitingRow } from './read-log.ts'

export type { EventStoreOptions }

export interface EventStore {
  /** Committed with the next batch; readers see it after that. */
  append(draft: EventDraft): void
  /** Resolves when it is on disk. Without a foreign lock that is before this call returns. */
  appendDurable(draft: EventDraft): Promise<EventRow>
  /** Events appended between `hold` and `release` are committed as a whole. Without an await between them. */
  hold(): void
  release(): void
  /** On disk when it resolves: a message waiting for its turn. */
  keepMessage(message: WaitingMessage): Promise<void>
  /** The same as `appendDurable`; with it, and only with it, the message stops waiting. */
  appendDelivered(draft: EventDraft, messageId: string): Promise<EventRow>
  /** The same; with it, and only with it, the waiting message has another text. */
  appendReworded(draft: EventDraft, message: WaitingMessage): Promise<EventRow>
  /** From the next commit on, no message is waiting. */
  dropMessages(): void
  /** In order. */
  waitingMessages(): WaitingMessage[]
  /** Commits pending writes. */
  flush(): void
  /** The newest number assigned. */
  lastSequence(): number
  /** The newest number that readers can see. */
  committedSequence(): number
  readAfter(sequence: number, limit: number): EventRow[]
  readLast(limit: number): EventRow[]
  /** The `user_message` that a turn began with; null: there is none. */
  findPrompt(turnId: string): EventRow | null
  /** Hashes of all files that went along with prompts. */
  attachedHashes(): Set<string>
  /** The newest turn: its prompt, and its end if it has one. null: there was no turn yet. */
  findLastTurn(): { prompt: EventRow; end: EventRow | null } | null
  /** Committed together with the events that wait. */
  recordUsage(turnId: string, usage: object): void
  recordHookRun(run: HookRun): void
  recordRequest(change: RequestChange): void
  /** From now on committed with everything else. */
  followBookmark(source: BookmarkSource): void
  moveBookmark(): void
  /** Resolves when everything pending is committed, or cannot be. */
  settle(): Promise<void>
  /** Resolves when pending writes have been committed; null while so few are pending that more may be added. */
  backlog(): Promise<void> | null
  /** Called with each commit. Returns a function that unsubscribes. */
  subscribe(listener: (rows: readonly EventRow[]) => void): () => void
  /** Then its file can still be read. */
  isClosed(): boolean
  close(): Promise<void>
}

/** Of the agent's open requests, see commit-rows.ts. */
export type RequestChange =
  | { add: { offset: number; line: string } }
  | { note: { offset: number; done: string } }
  | { remove: number | null }

export interface HookRun {
  event: string
  command: string
  required: boolean
  outcome: 'ok' | 'failed'
  detail: string
  durationMs: number
}

export function createEventStore(db: Connection, options: EventStoreOptions): EventStore {
  const state = openQueue(db, options)
  const after = db.prepare(EVENTS_AFTER)
  const last = db.prepare(LAST_EVENTS)
  const prompt = db.prepare(
    "SELECT * FROM events WHERE type = 'user_message' AND turn_id = ? ORDER BY sequence DESC LIMIT 1",
  )
  const lastPrompt = db.prepare("SELECT * FROM events WHERE type = 'user_message' ORDER BY sequence DESC LIMIT 1")
  const end = db.prepare(
    "SELECT * FROM events WHERE sequence > ? AND turn_id = ? AND type IN ('done', 'error') ORDER BY sequence DESC LIMIT 1",
  )
  const waiting = db.prepare(WAITING)
  const now = () => options.clock.now().toISOString()
  const onQueue =
    <A extends unknown[], R>(act: (queue: CommitQueue, ...rest: A) => R) =>
    (...rest: A): R =>
      act(state, ...rest)
  return {
    append: onQueue(appendLater),
    appendDurable: onQueue(appendNow),
    hold: onQueue(hold),
    release: onQueue(release),
    keepMessage: (add) => recordNow(state, { table: 'waiting_messages', add, at: now() }),
    appendDelivered: (draft, remove) => appendNow(state, draft, { table: 'waiting_messages', remove }),
    appendReworded: (draft, reword) => appendNow(state, draft, { table: 'waiting_messages', reword }),
    dropMessages: () => keepRecord(state, { table: 'waiting_messages', remove: null }),
    waitingMessages: () => (waiting.all() as WaitingRow[]).map(toWaiting),
    flush: onQueue(flush),
    lastSequence: () => state.last,
    committedSequence: () => state.committed,
    readAfter: (sequence, limit) =>
      state.recent.readAfter(sequence, limit) ?? (after.all(sequence, limit) as EventRow[]),
    findPrompt: (turnId) => (prompt.get(turnId) as EventRow | undefined) ?? null,
    attachedHashes: () => attachedHashes(db),
    findLastTurn() {
      const found = lastPrompt.get() as EventRow | undefined
      if (!found) return null
      return { prompt: found, end: (end.get(found.sequence, found.turn_id) as EventRow | undefined) ?? null }
    },
    readLast: (limit) => last.all(null, null, limit) as EventRow[],
    recordUsage: (turnId, usage) => keepRecord(state, { table: 'token_usage', turnId, usage, at: now() }),
    recordRequest: (change) => keepRecord(state, { table: 'open_requests', ...change }),
    followBookmark(source) {
      state.bookmark = source
      moveBookmark(state)
    },
    moveBookmark: onQueue(moveBookmark),
    settle: onQueue(settle),
    recordHookRun: (run) => keepRecord(state, { table: 'hook_runs', ...run, at: now() }),
    backlog: () => (state.pending.length < MAX_PENDING ? null : waitForCommit(state)),
    subscribe(listener) {
      state.listeners.add(listener)
      return () => state.listeners.delete(listener)
    },
    isClosed: () => !db.open,
    close: onQueue(closeQueue),
  }
}
