// Messages and prompts that wait for their turn, read without opening the log for writing.
import type { WaitingMessage } from '../../core/agh/session/waiting-prompt.ts'
import type { Connection } from './database.ts'

/** In order. */
export function readWaiting(db: Connection): WaitingMessage[] {
  if (!hasTable(db)) return []
  return db.prepare('SELECT id, text FROM waiting_messages ORDER BY number').all() as WaitingMessage[]
}

export function isWaiting(db: Connection, id: string): boolean {
  return hasTable(db) && db.prepare('SELECT 1 FROM waiting_messages WHERE id = ?').get(id) !== undefined
}

/** A log that has not been opened for writing since an update of agh has no such table. */
function hasTable(db: Connection): boolean {
  const table = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'waiting_messages'"
  return db.prepare(table).get() !== undefined
}
