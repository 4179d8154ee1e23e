// The files of sessions, active or archived: which there are, what one says, whatever state it is in, and the prompt that it began
// with. A record is only read here.
import { existsSync, lstatSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { ATTACHMENTS } from '../../contract/agh/attachment.ts'
import { AoError, errorText } from '../../contract/errors.ts'
import { FORMATS, newerBy } from '../../contract/formats.ts'
import { isSafeName, sessionNumber } from '../../contract/ids.ts'
import { EMPTY_RECORD, recordOf, type SessionRecord } from '../../contract/record.ts'
import { parsePairs } from '../../core/text/key-value.ts'
import { writeFileAtomic } from '../../lib/atomic-write.ts'
import type { FileMemory } from '../../lib/file-memory.ts'
import { entriesIn, filesIn, namesIn, readIfThere, readWithStats } from '../../lib/plain-file.ts'
import { removeTree } from '../../lib/remove.ts'
import type { ProjectPaths } from '../paths.ts'

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
  /** The version of a record that a newer program wrote: it is shown, and not changed. */
  newer?: number
  modifiedAt: Date
}

/** Active sessions only: no dot file, no `archive`, nothing whose name cannot be an id. */
export function listSessionIds(paths: ProjectPaths): string[] {
  return entriesIn(paths.sessions)
    .filter((entry) => isSafeName(entry.name) && (entry.isFile() || hadSession(paths, entry.name)))
    .map(({ name }) => name)
    .sort()
}

/** By name alone and in no order, for those who read each of them: all, or at most `count`. */
export function possibleIds(paths: ProjectPaths, count?: number): string[] {
  return namesIn(paths.sessions, count).filter(isSafeName)
}

/** Something that is not a file is in the record's place: the session is still listed, with the problem. */
function hadSession(paths: ProjectPaths, sessionId: string): boolean {
  return existsSync(paths.historyFile(sessionId))
}

/** null: there is no such file. Never writes. */
export function readSessionFile(
  paths: ProjectPaths,
  sessionId: string,
  memory?: FileMemory<StoredSession>,
): StoredSession | null {
  if (!isSafeName(sessionId)) return null
  const file = paths.sessionFile(sessionId)
  const stored = memory?.recall(file) ?? readStored(sessionId, file, memory)
  if (!stored?.isUnreadable || hadSession(paths, sessionId)) return stored
  // `archive` is a directory and never a session.
  return lstatSync(file, { throwIfNoEntry: false })?.isFile() ? stored : null
}

/** An unreadable record says so in `problems` and does not affect the others. */
export function readStored(sessionId: string, file: string, memory?: FileMemory<StoredSession>): StoredSession | null {
  try {
    const { bytes, stats } = readWithStats(file, { maxBytes: MAX_RECORD_BYTES, noFollow: true })
    const { pairs, problems } = parsePairs(bytes.toString('utf8'))
    // A session is complete from its first moment, so a file without any pair has lost its content.
    if (Object.keys(pairs).length === 0) problems.push('the file holds no pair')
    const about = { id: sessionId, modifiedAt: stats.mtime, pairs, record: recordOf({ metadata: pairs }) }
    const { version = 1 } = about.record
    // Lines of it that this program cannot read are no damage.
    const stored =
      version <= FORMATS.record
        ? { ...about, problems }
        : { ...about, newer: version, problems: [`${newerBy(version, 'ao')}; see: ao upgrade`] }
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

// The files in `archive/`: `{sessionId}_{timestamp}`. Nothing is ever removed there.

export interface ArchivedFile {
  id: string
  /** Its name inside `archive/`. */
  file: string
  archivedAt: Date
}

/** ISO 8601 with colons and dots as dashes: it sorts by time and is a file name everywhere. */
export function fileTimestamp(date: Date): string {
  return date.toISOString().replace(/[:.]/g, '-')
}

export function listArchived(paths: ProjectPaths): ArchivedFile[] {
  return filesIn(paths.archive)
    .flatMap((file) => parseArchiveName(file) ?? [])
    .sort((a, b) => b.archivedAt.getTime() - a.archivedAt.getTime() || (a.file < b.file ? -1 : 1))
}

export function readNewestArchived(
  paths: ProjectPaths,
  sessionId: string,
): (StoredSession & { file: string; archivedAt: Date }) | null {
  const newest = listArchived(paths).find((archived) => archived.id === sessionId)
  if (!newest) return null
  const stored = readStored(sessionId, join(paths.archive, newest.file))
  return stored && { ...stored, file: newest.file, archivedAt: newest.archivedAt }
}

/** The newest state of each, newest first. The directory is read once, and each file once as long as `memory` has it. */
export function readNewestOfEach(paths: ProjectPaths, memory: Map<string, StoredSession>): StoredSession[] {
  const newest = new Map<string, string>()
  for (const { id, file } of listArchived(paths)) if (!newest.has(id)) newest.set(id, file)
  const files = new Set(newest.values())
  for (const file of memory.keys()) if (!files.has(file)) memory.delete(file)
  return [...newest].flatMap(([id, file]) => {
    const stored = memory.get(file) ?? readStored(id, join(paths.archive, file))
    // An unreadable file may be readable later; nothing else ever changes there.
    if (stored && !stored.isUnreadable) memory.set(file, stored)
    return stored ?? []
  })
}

// Ids may contain underscores: only the timestamp at the end marks where the id stops.
const ARCHIVE_NAME = /^(.+)_(\d{4}-\d{2}-\d{2})T(\d{2})-(\d{2})-(\d{2})-(\d{3})Z$/

function parseArchiveName(file: string): ArchivedFile | null {
  const match = ARCHIVE_NAME.exec(file)
  if (!match) return null
  const [, id = '', day, hours, minutes, seconds, milliseconds] = match
  const archivedAt = new Date(`${day}T${hours}:${minutes}:${seconds}.${milliseconds}Z`)
  if (!isSafeName(id) || Number.isNaN(archivedAt.getTime())) return null
  return { id, file, archivedAt }
}

/** One more than the highest number that an active, archived or removed session ever had. */
export function nextNumber(paths: ProjectPaths, prefix: string): number {
  const used = [
    ...listSessionIds(paths),
    ...listArchived(paths).map((archived) => archived.id),
    ...filesIn(paths.history).map((name) => name.replace(/\.jsonl$/, '')),
  ]
  return used.reduce((highest, id) => Math.max(highest, sessionNumber(id, prefix) ?? 0), 0) + 1
}

export const PROMPT_FILE = 'prompt.md'
export const SYSTEM_PROMPT_FILE = 'system-prompt.md'

/** The composed prompt is kept, so that a fresh start after a crash sends exactly the same. */
export function savePrompt(stateDir: string, prompt: string | null): void {
  mkdirSync(stateDir, { recursive: true, mode: 0o700 })
  if (prompt !== null) writeFileAtomic(join(stateDir, PROMPT_FILE), prompt, { isForeign: true })
}

export function readPrompt(stateDir: string): string | null {
  return readIfThere(join(stateDir, PROMPT_FILE))
}

/** After a start that did not succeed. `waits`: it is started again later, and nobody has the files of its prompt but this directory. */
export function removeState(stateDir: string, { waits }: { waits: boolean }): void {
  const gone = waits ? namesIn(stateDir).filter((name) => name !== ATTACHMENTS) : ['.']
  for (const name of gone) removeTree(join(stateDir, name))
}

export function saveSystemPrompt(stateDir: string, systemPrompt: string): void {
  mkdirSync(stateDir, { recursive: true, mode: 0o700 })
  writeFileAtomic(join(stateDir, SYSTEM_PROMPT_FILE), systemPrompt, { isForeign: true })
}
