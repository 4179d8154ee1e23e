// One session's record: reading it whatever state it is in, and replacing it as a whole.

import { type Dirent, existsSync, lstatSync, readdirSync } from 'node:fs'
import { AoError, errorText } from '../../contract/errors.ts'
import { isSafeName } from '../../contract/ids.ts'
import { EMPTY_RECORD, recordOf, type SessionRecord } from '../../contract/record.ts'
import { writeFileAtomic } from '../../lib/atomic-write.ts'
import { scratchFile } from '../../lib/lock.ts'
import { readWithStats } from '../../lib/plain-file.ts'
import type { ProjectPaths } from '../paths.ts'
import { formatMetadata, parseMetadata } from './metadata-codec.ts'
import type { RecordMemory } from './record-memory.ts'

export interface StoredSession {
  id: string
  /** Everything in the file, including unknown keys. */
  pairs: Record<string, string>
  /** The meaning of the pairs. */
  record: SessionRecord
  /** Anything that could not be read in the file; empty for an intact one. */
  problems: string[]
  /** None of it is readable, so nothing may be written over it. */
  isUnreadable?: boolean
  modifiedAt: Date
}

/** Active sessions only: no dot file, no `archive`, nothing whose name cannot be an id. */
export function listSessionIds(paths: ProjectPaths): string[] {
  return listEntries(paths.sessions)
    .filter((entry) => isSafeName(entry.name) && (entry.isFile() || hadSession(paths, entry.name)))
    .map(({ name }) => name)
    .sort()
}

/** Something that is not a file is in the record's place: the session is still listed, with the problem. */
function hadSession(paths: ProjectPaths, sessionId: string): boolean {
  return existsSync(paths.historyFile(sessionId))
}

/** null: there is no such file. Never writes. */
export function readSessionFile(
  paths: ProjectPaths,
  sessionId: string,
  memory?: RecordMemory<StoredSession>,
): StoredSession | null {
  if (!isSafeName(sessionId)) return null
  const file = paths.sessionFile(sessionId)
  const stored = memory?.recall(file) ?? readStored(sessionId, file, memory)
  if (!stored?.isUnreadable || hadSession(paths, sessionId)) return stored
  // `archive` is a directory and never a session.
  return lstatSync(file, { throwIfNoEntry: false })?.isFile() ? stored : null
}

/** An unreadable record says so in `problems` and does not affect the others. */
export function readStored(
  sessionId: string,
  file: string,
  memory?: RecordMemory<StoredSession>,
): StoredSession | null {
  try {
    const { bytes, stats } = readWithStats(file, { maxBytes: MAX_RECORD_BYTES, noFollow: true })
    const { pairs, problems } = parseMetadata(bytes.toString('utf8'))
    // A session is complete from its first moment, so a file without any pair has lost its content.
    if (Object.keys(pairs).length === 0) problems.push('the file holds no pair')
    const stored = { id: sessionId, modifiedAt: stats.mtime, pairs, record: recordOf({ metadata: pairs }), problems }
    memory?.keep(file, stored, stats)
    return stored
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    const stats = lstatSync(file, { throwIfNoEntry: false })
    if (stats === undefined) return null
    const about = { id: sessionId, modifiedAt: stats.mtime }
    return { ...about, pairs: {}, record: EMPTY_RECORD, problems: [reasonOf(error)], isUnreadable: true }
  }
}

const MAX_RECORD_BYTES = 4 * 1024 * 1024

/** Without the path, which every caller adds in its own words. */
function reasonOf(error: unknown): string {
  if (error instanceof AoError && typeof error.details.why === 'string') return `it ${error.details.why}`
  const code = (error as NodeJS.ErrnoException).code
  return code === 'EACCES' || code === 'EPERM' ? 'it may not be read by this user' : errorText(error)
}

/** Only under the session's lock: the unfinished file is the lock owner's scratch file. */
export function writeSessionFile(paths: ProjectPaths, sessionId: string, pairs: Record<string, string>): void {
  const temporary = scratchFile(paths.lockFile(sessionId))
  writeFileAtomic(paths.sessionFile(sessionId), formatMetadata(pairs), { temporary })
}

/** Names of the regular files in a directory; [] when it does not exist yet. */
export function listFiles(directory: string): string[] {
  return listEntries(directory)
    .filter((entry) => entry.isFile())
    .map((entry) => entry.name)
}

function listEntries(directory: string): Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}
