// Moves a session into the archive and back. Wherever there is an active file, it is the session.

import { existsSync, renameSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { AoError, SessionNotRestorableError } from '../../contract/errors.ts'
import type { OtherEvent } from '../../contract/events.ts'
import type { Session } from '../../contract/session.ts'
import { storedSession } from '../../contract/stored-session.ts'
import { formatPairs } from '../../core/text/key-value.ts'
import { createFileExclusive, syncPath } from '../../lib/atomic-write.ts'
import { failpoint } from '../../lib/failpoint.ts'
import { scratchFile } from '../../lib/lock.ts'
import type { ProjectPaths } from '../paths.ts'
import type { StoreContext } from '../store-context.ts'
import { appendHistory } from './history.ts'
import { fileTimestamp, readNewestArchived } from './session-file.ts'
import {
  lockSession,
  mergeRecord,
  type RecordUpdate,
  readForChange,
  requireOwnRecord,
  unreadable,
} from './update-session.ts'

/**
 * The archive has the last state before the active file goes. A crash in between leaves the session active with the operation that
 * was archiving it, so that the next command finishes it.
 */
export function archiveSession(
  context: StoreContext,
  sessionId: string,
  change: RecordUpdate = {},
  events: OtherEvent[] = [],
  why: string[] = [],
): Promise<string> {
  const { paths, clock } = context
  return lockSession(context, sessionId, () => {
    const stored = readForChange(context, sessionId)
    const step = mergeRecord(context, stored.pairs, change, () => ({ events, why }))
    const file = freeArchiveName(paths, sessionId, clock.now())
    appendHistory(context, sessionId, [...step.events, { type: 'session.archived', file }])
    createFileExclusive(join(paths.archive, file), formatPairs(step.pairs), {
      temporary: scratchFile(paths.lockFile(sessionId)),
    })
    failpoint('store.archive-written')
    unlinkSync(paths.sessionFile(sessionId))
    syncPath(paths.sessions)
    failpoint('store.archive-moved')
    return file
  })
}

/** The archive keeps its file: it is never deleted, not even by restore. */
export function unarchiveSession(
  context: StoreContext,
  sessionId: string,
  change: RecordUpdate = {},
  events: OtherEvent[] = [],
  why: string[] = [],
): Promise<Session> {
  const { paths } = context
  return lockSession(context, sessionId, () => {
    if (existsSync(paths.sessionFile(sessionId))) {
      throw new SessionNotRestorableError(sessionId, 'it is active already')
    }
    const archived = readNewestArchived(paths, sessionId)
    if (archived === null) {
      throw new AoError('SESSION_NOT_FOUND', `There is no archived session ${sessionId}`, { details: { sessionId } })
    }
    if (archived.isUnreadable) throw unreadable(sessionId, join(paths.archive, archived.file), archived.problems)
    requireOwnRecord(join(paths.archive, archived.file), archived)
    const { pairs, events: noted } = mergeRecord(context, archived.pairs, change, () => ({ events, why }))
    appendHistory(context, sessionId, noted)
    failpoint('store.unarchive-recorded')
    createFileExclusive(paths.sessionFile(sessionId), formatPairs(pairs), {
      temporary: scratchFile(paths.lockFile(sessionId)),
    })
    return storedSession({ id: sessionId, pairs }, context.projectId)
  })
}

/** Only under the session's lock. */
export function moveToArchive(paths: ProjectPaths, sessionId: string, file: string): void {
  renameSync(paths.sessionFile(sessionId), join(paths.archive, file))
  syncPath(paths.archive)
  syncPath(paths.sessions)
}

/** A clock that stands still must not make one archive file replace another. */
export function freeArchiveName(paths: ProjectPaths, sessionId: string, now: Date): string {
  for (let time = now.getTime(); ; time++) {
    const file = `${sessionId}_${fileTimestamp(new Date(time))}`
    if (!existsSync(join(paths.archive, file))) return file
  }
}
