// The conversation of a session: from the daemon, or from its file when there is none.
import { historyFile } from '../../agh/store/meta-file.ts'
import * as log from '../../agh/store/read-log.ts'
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
    return toEvents(session, await log.readEventsAfter(fileWithout(error, link, session), after, PAGE))
  }
}

/** The last events, oldest first. */
export async function readRecent(link: DaemonLink, session: string, count: number): Promise<SessionEvent[]> {
  try {
    const ask = { params: { id: session }, query: { limit: count } }
    return (await link.call('GET /api/driver/sessions/:id/recent', ask)).events
  } catch (error) {
    return toEvents(session, await log.readLastEvents(fileWithout(error, link, session), count))
  }
}

/** The log itself, where there is no daemon to ask. */
function fileWithout(error: unknown, link: DaemonLink, session: string): string {
  if (!isNotRunning(error)) throw error
  return historyFile(link.paths, session)
}

function toEvents(session: string, rows: EventRow[]): SessionEvent[] {
  return rows.map((row) => toSessionEvent(session, row))
}
