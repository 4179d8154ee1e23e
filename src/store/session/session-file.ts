// One session's metadata file: reading it whatever state it is in, and replacing it whole.
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { isSafeName } from '../../contract/ids.ts'
import { writeFileAtomic } from '../../lib/atomic-write.ts'
import { scratchFile } from '../../lib/lock.ts'
import type { ProjectPaths } from '../paths.ts'
import { formatMetadata, parseMetadata } from './metadata-codec.ts'

export interface StoredSession {
  id: string
  pairs: Record<string, string>
  /** What in the file could not be read; empty for a sound one. */
  problems: string[]
  modifiedAt: Date
}

/** Active sessions only: no dot file, no `archive`, nothing whose name cannot be an id. */
export function listSessionIds(paths: ProjectPaths): string[] {
  return listFiles(paths.sessions).filter(isSafeName).sort()
}

/** null: there is no such file. Never writes. */
export function readSessionFile(paths: ProjectPaths, sessionId: string): StoredSession | null {
  if (!isSafeName(sessionId)) return null
  return readStored(sessionId, paths.sessionFile(sessionId))
}

export function readStored(sessionId: string, file: string): StoredSession | null {
  const text = readIfFile(file)
  if (text === null) return null
  const { pairs, problems } = parseMetadata(text)
  // A session is complete from its first moment, so a file without any pair has lost what it held.
  if (Object.keys(pairs).length === 0) problems.push('the file holds no pair')
  const modifiedAt = statSync(file, { throwIfNoEntry: false })?.mtime ?? new Date(0)
  return { id: sessionId, pairs, problems, modifiedAt }
}

/** Only under the session's lock: the unfinished file is the lock owner's scratch file. */
export function writeSessionFile(paths: ProjectPaths, sessionId: string, pairs: Record<string, string>): void {
  const temporary = scratchFile(paths.lockFile(sessionId))
  writeFileAtomic(paths.sessionFile(sessionId), formatMetadata(pairs), { temporary })
}

/** Names of the regular files in a directory; [] when it does not exist yet. */
export function listFiles(directory: string): string[] {
  try {
    return readdirSync(directory, { withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => entry.name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

function readIfFile(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    if (code === 'ENOENT' || code === 'EISDIR') return null
    throw error
  }
}
