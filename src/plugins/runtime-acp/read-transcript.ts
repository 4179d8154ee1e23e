// The conversation of a session: from the daemon, or from its file when there is none.
import { readDatabase } from '../../agh/store/database.ts'
import { historyFile } from '../../agh/store/meta-file.ts'
import { type EventRow, type SessionEvent, toSessionEvent } from '../../contract/agh/events.ts'
import type { TranscriptPage } from '../../contract/agh/transcript.ts'
import { emptyTranscript, foldEvent } from '../../core/agh/transcript/transcript.ts'
import { type DaemonLink, isNotRunning } from './daemon-link.ts'

/** Of one query to the daemon. */
const PAGE = 5_000

export async function readTranscript(link: DaemonLink, session: string): Promise<TranscriptPage> {
  const transcript = emptyTranscript()
  for (;;) {
    const events = await readEventsAfter(link, session, transcript.lastSequence)
    for (const event of events) foldEvent(transcript, event)
    if (events.length < PAGE) return { messages: transcript.messages, last_sequence: transcript.lastSequence }
  }
}

export async function readEventsAfter(link: DaemonLink, session: string, after: number): Promise<SessionEvent[]> {
  try {
    const ask = { params: { id: session }, query: { after, limit: PAGE } }
    return (await link.call('GET /api/sessions/:id/events', ask)).events
  } catch (error) {
    if (!isNotRunning(error)) throw error
    return readFile(link, session, 'SELECT * FROM events WHERE sequence > ? ORDER BY sequence LIMIT ?', [after, PAGE])
  }
}

/** The last events, oldest first. */
export async function readRecent(link: DaemonLink, session: string, count: number): Promise<SessionEvent[]> {
  try {
    const ask = { params: { id: session }, query: { limit: count } }
    return (await link.call('GET /api/driver/sessions/:id/recent', ask)).events
  } catch (error) {
    if (!isNotRunning(error)) throw error
    return readFile(
      link,
      session,
      'SELECT * FROM (SELECT * FROM events ORDER BY sequence DESC LIMIT ?) ORDER BY sequence',
      [count],
    )
  }
}

async function readFile(link: DaemonLink, session: string, sql: string, values: number[]): Promise<SessionEvent[]> {
  const rows = await readDatabase(
    historyFile(link.paths, session),
    (db) => db.prepare(sql).all(...values) as EventRow[],
  )
  return rows.map((row) => toSessionEvent(session, row))
}
