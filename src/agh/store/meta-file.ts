// The one reader and writer of meta.json.
import { existsSync, mkdirSync, readdirSync, rmdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type SessionMeta, sessionMetaSchema } from '../../contract/agh/session-meta.ts'
import { AoError, errorText } from '../../contract/errors.ts'
import { FORMATS } from '../../contract/formats.ts'
import { isSafeName } from '../../contract/ids.ts'
import { writeFileAtomic } from '../../lib/atomic-write.ts'
import { failpoint } from '../../lib/failpoint.ts'
import { namesIn, readPlainText } from '../../lib/plain-file.ts'
import { removeFile } from '../../lib/remove.ts'
import { type AghPaths, sessionDirectory, sessionNotFound } from '../paths.ts'

function metaFile(paths: AghPaths, sessionId: string): string {
  return join(sessionDirectory(paths, sessionId), 'meta.json')
}

export function historyFile(paths: AghPaths, sessionId: string): string {
  return join(sessionDirectory(paths, sessionId), 'events.db')
}

/** In its own directory, where nothing else changes; its content is the number of the newest event that matters. */
export function newsFile(paths: AghPaths, sessionId: string): string {
  return join(sessionDirectory(paths, sessionId), 'news', 'sequence')
}

export function makeSessionDirectory(paths: AghPaths, sessionId: string): void {
  mkdirSync(sessionDirectory(paths, sessionId), { recursive: true, mode: 0o700 })
}

/** Not durable: for what changes with every heartbeat and is worthless after a crash. */
export function writeMeta(paths: AghPaths, meta: SessionMeta, options: { durable: boolean }): void {
  writeFileAtomic(metaFile(paths, meta.id), `${JSON.stringify(meta, null, 2)}\n`, options)
  failpoint('agh-write')
}

const HALF_WRITTEN = /^\.meta\.json\..*\.tmp$/

/** What a killed writer left next to the file. Only while it is not being written. */
export function removeHalfWritten(paths: AghPaths, sessionId: string): void {
  const directory = sessionDirectory(paths, sessionId)
  for (const name of readdirSync(directory)) {
    if (HALF_WRITTEN.test(name)) removeFile(join(directory, name))
  }
}

/** A directory into which nothing was written before its creator was killed or the disk was full. */
export function removeUnborn(paths: AghPaths, sessionId: string): boolean {
  const directory = sessionDirectory(paths, sessionId)
  try {
    if (readdirSync(directory).some((name) => !HALF_WRITTEN.test(name))) return false
    removeHalfWritten(paths, sessionId)
    rmdirSync(directory)
    return true
  } catch {
    // Whatever it is, it is not ours to remove.
    return false
  }
}

/** Every write creates a new file, so an unchanged file means unchanged metadata. */
const cached = new Map<string, { stamp: string; meta: SessionMeta }>()
/** With more of them than that, each list reads all of them again. */
const MAX_CACHED = 30_000

export function readMeta(paths: AghPaths, sessionId: string): SessionMeta {
  const file = metaFile(paths, sessionId)
  const stat = statSync(file, { throwIfNoEntry: false })
  if (!stat)
    throw existsSync(historyFile(paths, sessionId))
      ? damaged(sessionId, file, 'is missing')
      : sessionNotFound(sessionId)
  const stamp = `${stat.ino}:${stat.mtimeMs}:${stat.size}`
  const before = cached.get(file)
  if (before?.stamp === stamp) return before.meta
  const meta = parseMeta(sessionId, file)
  if (cached.size >= MAX_CACHED) cached.clear()
  cached.set(file, { stamp, meta })
  return meta
}

function parseMeta(sessionId: string, file: string): SessionMeta {
  let schema: unknown
  try {
    const content: unknown = JSON.parse(readPlainText(file))
    schema = (content as { schema?: unknown } | null)?.schema
    return sessionMetaSchema.parse(content)
  } catch (error) {
    const version = Number(/^agh\.session\.v(\d{1,9})$/.exec(String(schema))?.[1] ?? 1)
    if (version > FORMATS.session) throw newerMeta(sessionId, file, String(schema))
    throw damaged(sessionId, file, `cannot be understood: ${errorText(error)}`, error)
  }
}

/** It stays as it is. */
function newerMeta(sessionId: string, file: string, schema: string): AoError {
  return new AoError(
    'FORMAT_NEWER',
    `${file} was written by a newer agh (${schema}), and this one does not change it`,
    {
      hint: `Update ao-fleet where it is installed. Its history can be read: agh session events ${sessionId}`,
      details: { sessionId, file },
    },
  )
}

function damaged(sessionId: string, file: string, what: string, cause?: unknown): AoError {
  return new AoError('METADATA_DAMAGED', `${file} ${what}`, {
    hint: `The history beside it is intact; read it with: agh session events ${sessionId}`,
    details: { sessionId, file },
    cause,
  })
}

export function listSessionIds(paths: AghPaths): string[] {
  return namesIn(paths.sessions).filter(isSafeName)
}
