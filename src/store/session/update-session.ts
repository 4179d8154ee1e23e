// Changes a session's record: read, merge, record the events, write, all under its lock.

import { join } from 'node:path'
import { AoError } from '../../contract/errors.ts'
import type { OtherEvent, SessionEventBody } from '../../contract/events.ts'
import { type RecordChange, readRecord, type SessionRecord } from '../../contract/record.ts'
import type { Session } from '../../contract/session.ts'
import { noteChanges, type RecordStep, withoutRepeated } from '../../core/status/note-changes.ts'
import { changeRecord } from '../../core/status/status-of-record.ts'
import { createFileExclusive } from '../../lib/atomic-write.ts'
import { failpoint } from '../../lib/failpoint.ts'
import { readBytes } from '../../lib/plain-file.ts'
import type { StoreContext } from '../store-context.ts'
import { fileTimestamp } from './archive-files.ts'
import { appendHistory, readHistory } from './history.ts'
import { formatMetadata } from './metadata-codec.ts'
import { storedSession } from './metadata-to-session.ts'
import { readSessionFile, type StoredSession, writeSessionFile } from './session-file.ts'
import { lockSession } from './session-lock.ts'

/** As a function it sees what is stored now, so that it can decide under the lock. */
export type RecordUpdate = RecordChange | ((record: SessionRecord) => RecordChange)

/** Likewise for the events: a change that is not made after all leaves no trace in the history. */
export type EventsOfUpdate = OtherEvent[] | ((record: SessionRecord) => OtherEvent[])

export function updateSession(
  context: StoreContext,
  sessionId: string,
  change: RecordUpdate,
  events: EventsOfUpdate = [],
  why: string[] = [],
): Promise<Session> {
  return lockSession(context, sessionId, () => {
    const stored = readForChange(context, sessionId)
    const step = mergeRecord(context, stored.pairs, change, (before) => ({
      events: typeof events === 'function' ? events(before) : events,
      why,
    }))
    const { pairs } = step
    appendHistory(context, sessionId, notYetNoted(context, stored, step.events))
    failpoint('store.history-appended')
    const isUnchanged = stored.problems.length === 0 && formatMetadata(pairs) === formatMetadata(stored.pairs)
    if (!isUnchanged) writeSessionFile(context.paths, sessionId, pairs)
    return storedSession({ id: sessionId, pairs }, context.projectId)
  })
}

const RECENT_BYTES = 16 * 1024

function notYetNoted(
  { paths }: StoreContext,
  { id, record }: StoredSession,
  events: SessionEventBody[],
): SessionEventBody[] {
  if (!events.some(({ type }) => type === 'status.changed')) return events
  const { events: recent } = readHistory(paths, id, { maxBytes: RECENT_BYTES })
  return withoutRepeated(events, { recent, since: record.statusSince ?? null })
}

/** Only under the lock. A damaged original is quarantined before anything is written over it. */
export function readForChange(context: StoreContext, sessionId: string): StoredSession {
  const stored = readSessionFile(context.paths, sessionId)
  if (stored === null) {
    throw new AoError('SESSION_NOT_FOUND', `There is no session ${sessionId}`, { details: { sessionId } })
  }
  if (stored.isUnreadable) throw unreadable(sessionId, context.paths.sessionFile(sessionId), stored.problems)
  if (stored.problems.length > 0) quarantineDamaged(context, stored)
  return stored
}

export function unreadable(sessionId: string, file: string, problems: string[]): AoError {
  return new AoError(
    'METADATA_DAMAGED',
    `The record of ${sessionId}, ${file}, cannot be read: ${problems.join('; ')}`,
    {
      hint: `See what is there with: ls -ld ${file}`,
      details: { sessionId, file, problems },
    },
  )
}

/** Unknown keys stay, `createdAt` never changes, the status follows from the facts, and its changes are noted. */
export function mergeRecord(
  { clock }: Pick<StoreContext, 'clock'>,
  before: Record<string, string>,
  change: RecordUpdate,
  note: (record: SessionRecord) => Pick<RecordStep, 'events' | 'why'>,
): ReturnType<typeof noteChanges> {
  const record = readRecord(before)
  const after = changeRecord(before, typeof change === 'function' ? change(record) : change)
  return noteChanges({ before, after, now: clock.now(), ...note(record) })
}

/** Only under the session's lock. A damaged record is evidence: it is copied before the readable part is written back. */
function quarantineDamaged(context: StoreContext, stored: StoredSession): void {
  const { paths, clock, log } = context
  const original = readBytes(paths.sessionFile(stored.id))
  const copy = join(paths.damaged, `${stored.id}_${fileTimestamp(clock.now())}`)
  // The same file twice in one millisecond is the same evidence.
  createFileExclusive(copy, original)
  const why = stored.problems.slice(0, 5).join('; ')
  appendHistory(context, stored.id, [{ type: 'metadata.damaged', setAside: copy, why }])
  log.warn(`the metadata of ${stored.id} was damaged (${why}); the original is kept as ${copy}`)
}
