// Is a message in OpenCode's database? It is there as soon as it was entered, also while OpenCode is busy.
import type { Database } from 'better-sqlite3'
import { holdsMessage } from '../agent-files/message-text.ts'

const ENTERED = `
  SELECT group_concat(json_extract(part.data, '$.text'), char(10)) AS text
  FROM message JOIN part ON part.message_id = message.id
  WHERE message.session_id = ? AND message.time_created >= ?
    AND json_valid(message.data) AND json_extract(message.data, '$.role') = 'user'
    AND json_valid(part.data) AND json_extract(part.data, '$.type') = 'text'
  GROUP BY message.id ORDER BY message.time_created DESC LIMIT 50`

export function hasSeen(database: Database, sessionId: string, text: string, since: Date): boolean {
  const rows = database.prepare<[string, number], { text: string | null }>(ENTERED).all(sessionId, since.getTime())
  return rows.some((row) => holdsMessage(row.text ?? '', text))
}
