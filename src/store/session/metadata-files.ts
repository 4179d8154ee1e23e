// Records by their directory alone, for users of the library and scripts. The store's own rules and locks apply.
import { mkdirSync, unlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { syncPath } from '../../lib/atomic-write.ts'
import { type Clock, systemClock } from '../../lib/clock.ts'
import { type ProjectPaths, projectPaths } from '../paths.ts'
import { freeArchiveName, moveToArchive } from './archive-session.ts'
import { readSessionFile } from './session-file.ts'
import { lockSession, requireOwnRecord } from './update-session.ts'

/** The raw pairs of an active session; null when there is none. */
export function readMetadataRaw(sessionsDir: string, sessionId: string): Record<string, string> | null {
  return readSessionFile(pathsIn(sessionsDir), sessionId)?.pairs ?? null
}

/** Removes an active session's record; with `archive` it is moved to `archive/` instead. A missing one is fine. */
export async function deleteMetadata(
  sessionsDir: string,
  sessionId: string,
  archive: boolean,
  clock: Clock = systemClock,
): Promise<void> {
  const paths = pathsIn(sessionsDir)
  if (readSessionFile(paths, sessionId) === null) return
  for (const directory of [paths.locks, paths.archive]) mkdirSync(directory, { recursive: true, mode: 0o700 })
  await lockSession({ paths }, sessionId, () => {
    const stored = readSessionFile(paths, sessionId)
    if (stored === null) return
    requireOwnRecord(paths.sessionFile(sessionId), stored)
    if (archive) return moveToArchive(paths, sessionId, freeArchiveName(paths, sessionId, clock.now()))
    unlinkSync(paths.sessionFile(sessionId))
    syncPath(paths.sessions)
  })
}

/** Whatever the directory's name: its files, archive and locks are inside it. */
function pathsIn(sessionsDir: string): ProjectPaths {
  return {
    ...projectPaths(dirname(sessionsDir)),
    sessions: sessionsDir,
    archive: join(sessionsDir, 'archive'),
    damaged: join(sessionsDir, '.damaged'),
    locks: join(sessionsDir, '.locks'),
    sessionFile: (sessionId) => join(sessionsDir, sessionId),
    lockFile: (sessionId) => join(sessionsDir, '.locks', sessionId),
  }
}
