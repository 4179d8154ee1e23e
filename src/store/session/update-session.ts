// Changes a session's record: reserved exclusively and never reused; then read, merged, its events recorded and written, all under
// its lock. A second, longer lock is held around a whole operation.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { AoError } from '../../contract/errors.ts'
import type { OtherEvent, SessionEventBody } from '../../contract/events.ts'
import { FORMATS, newerFormat } from '../../contract/formats.ts'
import { isOrchestratorId, isSafeName } from '../../contract/ids.ts'
import { type RecordChange, readRecord, type SessionRecord } from '../../contract/record.ts'
import type { Session } from '../../contract/session.ts'
import { storedSession } from '../../contract/stored-session.ts'
import { changeRecord, noteChanges, type RecordStep, withoutRepeated } from '../../core/status/status-of-record.ts'
import { formatPairs } from '../../core/text/key-value.ts'
import { createFileExclusive, requireOwnVersion, syncPath, writeFileAtomic } from '../../lib/atomic-write.ts'
import { failpoint } from '../../lib/failpoint.ts'
import { type LockOptions, scratchFile, withLock } from '../../lib/lock.ts'
import { readBytes } from '../../lib/plain-file.ts'
import { currentProcess, formatIdentity } from '../../lib/process/process-identity.ts'
import { removeFile } from '../../lib/remove.ts'
import type { ProjectPaths } from '../paths.ts'
import type { StoreContext } from '../store-context.ts'
import { appendHistory, readHistory } from './history.ts'
import { fileTimestamp, listArchived, readSessionFile, type StoredSession } from './session-file.ts'

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
    const isUnchanged = stored.problems.length === 0 && formatPairs(pairs) === formatPairs(stored.pairs)
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
  requireOwnRecord(context.paths.sessionFile(sessionId), stored)
  if (stored.problems.length > 0) quarantineDamaged(context, stored)
  return stored
}

/** FORMAT_NEWER when a newer program wrote it. */
export function requireOwnRecord(file: string, { newer }: Pick<StoredSession, 'newer'>): void {
  if (newer !== undefined) throw newerFormat(file, newer, FORMATS.record)
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
  const wanted = typeof change === 'function' ? change(record) : change
  // An intent is that of the process that writes it down.
  const owned = wanted.operation ? { operationOwner: formatIdentity(currentProcess()), ...wanted } : wanted
  const after = changeRecord(before, owned)
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

/** false: this id is or was in use. The event comes first, so that a crash in between still burns the id. */
export function reserveSession(
  context: StoreContext,
  sessionId: string,
  record: RecordChange,
  event: OtherEvent,
): Promise<boolean> {
  const { paths } = context
  const step = mergeRecord(context, {}, record, () => ({ events: [event], why: [] }))
  const text = formatPairs(step.pairs)
  return lockSession(context, sessionId, () => {
    if (existsSync(paths.sessionFile(sessionId))) return false
    // There is one orchestrator, whose id is its role: a new one continues the history of the last.
    if (!isOrchestratorId(sessionId) && wasUsed(paths, sessionId)) return false
    appendHistory(context, sessionId, step.events)
    failpoint('store.reserve-recorded')
    return createFileExclusive(paths.sessionFile(sessionId), text, {
      temporary: scratchFile(paths.lockFile(sessionId)),
    })
  })
}

/** The id stays used: its history is still there. */
export function removeSession(context: StoreContext, sessionId: string): Promise<void> {
  const { paths } = context
  return lockSession(context, sessionId, () => {
    requireOwnVersion(paths.sessionFile(sessionId))
    removeFile(paths.sessionFile(sessionId))
    syncPath(paths.sessions)
  })
}

/** Also by files that an interrupted import left: they would become part of another session. */
function wasUsed(paths: ProjectPaths, sessionId: string): boolean {
  return (
    existsSync(paths.historyFile(sessionId)) ||
    existsSync(paths.stateDir(sessionId)) ||
    listArchived(paths).some((archived) => archived.id === sessionId)
  )
}

type LockContext = Pick<StoreContext, 'paths'>

/** Only under the session's lock: the unfinished file is the lock owner's scratch file. */
function writeSessionFile(paths: ProjectPaths, sessionId: string, pairs: Record<string, string>): void {
  const temporary = scratchFile(paths.lockFile(sessionId))
  writeFileAtomic(paths.sessionFile(sessionId), formatPairs(pairs), { temporary })
}

/** Around one change of the session's files. `ao-metadata-helper.sh` takes the same one. */
export function lockSession<T>(context: LockContext, sessionId: string, critical: () => T): Promise<T> {
  return withLock(context.paths.lockFile(checkedId(sessionId)), critical)
}

/** Around spawn, kill, restore or cleanup. File changes inside it take the short lock as always. */
export async function withOperation<T>(
  context: LockContext,
  sessionId: string,
  work: () => Promise<T>,
  options: LockOptions = {},
): Promise<T> {
  const path = context.paths.lockFile(`${checkedId(sessionId)}.operation`)
  const act = () => {
    const stored = readSessionFile(context.paths, sessionId)
    if (stored) requireOwnRecord(context.paths.sessionFile(sessionId), stored)
    return work()
  }
  try {
    return await withLock(path, act, options)
  } catch (error) {
    if (!(error instanceof AoError) || error.code !== 'LOCK_TIMEOUT' || error.details.path !== path) throw error
    const pid = Number(String(error.details.owner).split(':')[0])
    throw new AoError('SESSION_BUSY', `Process ${pid} works on session ${sessionId}`, {
      details: { sessionId, pid },
      cause: error,
    })
  }
}

/** A name with a slash or dots could escape the directory: no session has such a name. */
function checkedId(sessionId: string): string {
  if (isSafeName(sessionId)) return sessionId
  throw new AoError('SESSION_NOT_FOUND', `There is no session ${JSON.stringify(sessionId)}`, { details: { sessionId } })
}
