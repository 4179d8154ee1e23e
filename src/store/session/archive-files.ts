// The files in `archive/`: `{sessionId}_{timestamp}`. Naming and reading them; nothing is ever removed here.
import { join } from 'node:path'
import { isSafeName } from '../../contract/ids.ts'
import type { ProjectPaths } from '../paths.ts'
import { listFiles, readStored, type StoredSession } from './session-file.ts'

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
  return listFiles(paths.archive)
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
