// Numbers a session's events, and writes them into its tables in one transaction, several per statement, because the call costs more
// than the row.
import type { EventDraft, EventRow } from '../../contract/agh/events.ts'
import type { WaitingMessage } from '../../core/agh/session/waiting-prompt.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Connection } from './database.ts'

const ROWS_AT_ONCE = 16
const ONE_ROW = '(?, ?, ?, ?, ?)'

/** What is kept beside the events. */
export type StoreRecord =
  | { table: 'token_usage'; turnId: string; usage: object; at: string }
  | {
      table: 'hook_runs'
      event: string
      command: string
      required: boolean
      outcome: string
      detail: string
      durationMs: number
      at: string
    }
  | { table: 'waiting_messages'; add: WaitingMessage; at: string }
  | { table: 'waiting_messages'; reword: { id: string; text: string } }
  /** null: all of them. */
  | { table: 'waiting_messages'; remove: string | null }
  /** What became of a message whose event a trim dropped. */
  | { table: 'dropped_messages'; id: string; state: string }
  /** A request of the agent, at its offset in the agent's output. */
  | { table: 'open_requests'; add: { offset: number; line: string } }
  /** What was done about it so far, as JSON. */
  | { table: 'open_requests'; note: { offset: number; done: string } }
  /** It was answered. null: all of them. */
  | { table: 'open_requests'; remove: number | null }

/** How far a session has come with its agent's output, and what the next daemon must know to continue there. */
export interface Bookmark {
  /** As JSON. */
  now: string
  /** The part that seldom changes; null: unchanged since the last commit. */
  agent: string | null
}

/** All or nothing. */
export function prepareCommit(
  db: Connection,
): (rows: readonly EventRow[], records?: readonly StoreRecord[], bookmark?: Bookmark | null) => void {
  const insertOne = db.prepare(`INSERT INTO events VALUES ${ONE_ROW}`)
  const insertMany = db.prepare(`INSERT INTO events VALUES ${Array(ROWS_AT_ONCE).fill(ONE_ROW).join(', ')}`)
  const usage = db.prepare('INSERT OR REPLACE INTO token_usage VALUES (?, ?, ?)')
  const hook = db.prepare('INSERT INTO hook_runs VALUES (NULL, ?, ?, ?, ?, ?, ?, ?)')
  const wait = db.prepare('INSERT OR IGNORE INTO waiting_messages VALUES (NULL, ?, ?, ?)')
  const waitWith = db.prepare('INSERT OR IGNORE INTO waiting_attachments VALUES (?, ?)')
  const reword = db.prepare('UPDATE waiting_messages SET text = ? WHERE id = ?')
  const deliver = db.prepare('DELETE FROM waiting_messages WHERE ? IS NULL OR id = ?')
  const deliverWith = db.prepare('DELETE FROM waiting_attachments WHERE ? IS NULL OR id = ?')
  const drop = db.prepare('INSERT OR IGNORE INTO dropped_messages VALUES (?, ?)')
  const open = db.prepare('INSERT OR REPLACE INTO open_requests VALUES (?, ?, NULL)')
  const done = db.prepare('UPDATE open_requests SET done = ? WHERE place = ?')
  const answer = db.prepare('DELETE FROM open_requests WHERE ? IS NULL OR place = ?')
  const mark = db.prepare('INSERT OR REPLACE INTO bookmark VALUES (?, ?)')
  return db.transaction((rows: readonly EventRow[], records: readonly StoreRecord[] = [], bookmark = null) => {
    const rest = rows.length % ROWS_AT_ONCE
    for (let from = 0; from < rows.length - rest; from += ROWS_AT_ONCE) {
      insertMany.run(rows.slice(from, from + ROWS_AT_ONCE).flatMap(valuesOf))
    }
    for (const row of rows.slice(rows.length - rest)) insertOne.run(valuesOf(row))
    for (const one of records) {
      if (one.table === 'token_usage') usage.run(one.turnId, JSON.stringify(one.usage), one.at)
      else if (one.table === 'hook_runs')
        hook.run(one.event, one.command, Number(one.required), one.outcome, one.detail, one.durationMs, one.at)
      else if (one.table === 'dropped_messages') drop.run(one.id, one.state)
      else if (one.table === 'open_requests') {
        if ('add' in one) open.run(one.add.offset, one.add.line)
        else if ('note' in one) done.run(one.note.done, one.note.offset)
        else answer.run(one.remove, one.remove)
      } else if ('add' in one) {
        wait.run(one.add.id, one.add.text, one.at)
        if (one.add.attachments?.length) waitWith.run(one.add.id, JSON.stringify(one.add.attachments))
      } else if ('reword' in one) reword.run(one.reword.text, one.reword.id)
      else {
        deliver.run(one.remove, one.remove)
        deliverWith.run(one.remove, one.remove)
      }
    }
    if (bookmark) mark.run('now', bookmark.now)
    if (bookmark && bookmark.agent !== null) mark.run('agent', bookmark.agent)
  })
}

function valuesOf(row: EventRow): Array<string | number | null> {
  return [row.sequence, row.turn_id, row.type, row.timestamp, row.content]
}

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
