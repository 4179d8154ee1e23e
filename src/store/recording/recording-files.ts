// The files of a recorded terminal, `state/{id}/terminal/000001.cast` and so on. Each is an asciicast of its own.
import { closeSync, constants, lstatSync, mkdirSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { namesIn, openPlain } from '../../lib/plain-file.ts'
import { removeFile } from '../../lib/remove.ts'

export interface RecordedPart {
  number: number
  path: string
  bytes: number
}

/** `stateDir`: of the session. */
export function recordingDirectory(stateDir: string): string {
  return join(stateDir, 'terminal')
}

const NAME = /^(\d{6,12})\.cast$/

/** Oldest first. None when nothing was ever recorded. */
export function listParts(directory: string): RecordedPart[] {
  return namesIn(directory)
    .flatMap((name) => {
      const number = Number(NAME.exec(name)?.[1])
      const path = join(directory, name)
      const stats = number > 0 ? lstatSync(path, { throwIfNoEntry: false }) : undefined
      return stats?.isFile() ? [{ number, path, bytes: stats.size }] : []
    })
    .sort((a, b) => a.number - b.number)
}

/** A file that is ours alone: whoever else records here has another one. */
export function createPart(directory: string): { fd: number; path: string } {
  ensureDirectory(directory)
  for (let number = (listParts(directory).at(-1)?.number ?? 0) + 1; ; number++) {
    const path = join(directory, partName(number))
    const fd = tryCreate(path)
    if (fd !== null) return { fd, path }
  }
}

export function partName(number: number): string {
  return `${String(number).padStart(6, '0')}.cast`
}

/** For what was recorded elsewhere. A part that was cut off in the middle is continued there. */
export function appendToPart(directory: string, number: number, data: Buffer): void {
  ensureDirectory(directory)
  const { O_WRONLY, O_CREAT, O_NOFOLLOW, O_APPEND } = constants
  const fd = openPlain(join(directory, partName(number)), O_WRONLY | O_CREAT | O_NOFOLLOW | O_APPEND, 0o600)
  try {
    for (let written = 0; written < data.length; ) written += writeSync(fd, data, written)
  } finally {
    closeSync(fd)
  }
}

/** The oldest ones go until the rest fits; never the newest. */
export function dropOldest(directory: string, totalBytes: number): void {
  const parts = listParts(directory)
  let sum = parts.reduce((bytes, part) => bytes + part.bytes, 0)
  for (const part of parts.slice(0, -1)) {
    if (sum <= totalBytes) return
    removeFile(part.path)
    sum -= part.bytes
  }
}

/** Not its parents: a session whose files were removed gets none back. */
function ensureDirectory(directory: string): void {
  try {
    mkdirSync(directory, { mode: 0o700 })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

function tryCreate(path: string): number | null {
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW, O_APPEND } = constants
  try {
    return openPlain(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_APPEND, 0o600)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return null
    throw error
  }
}
