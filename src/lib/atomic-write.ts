// Replaces a file so that a reader sees the old content or the new one, never half of it, and a crash keeps one of them.

import { randomBytes } from 'node:crypto'
import {
  closeSync,
  constants,
  fsyncSync,
  linkSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  unlinkSync,
  writeSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { FORMATS, HEAD_BYTES, newerFormat, versionIn } from '../contract/formats.ts'
import { identify } from './process/process-identity.ts'
import { removeFile } from './remove.ts'

export interface AtomicWriteOptions {
  mode?: number
  /** fsync file and directory: for what must survive power loss. Default true. */
  durable?: boolean
  /** Where the new content is written first, on the same filesystem; by default a hidden file next to the target. */
  temporary?: string
  /** Its format is that of another program: what it says about its version means nothing here. */
  isForeign?: boolean
}

export function writeFileAtomic(path: string, data: string | Buffer, options: AtomicWriteOptions = {}): void {
  if (!options.isForeign) requireOwnVersion(path)
  writeThrough(path, data, options, renameSync)
}

/** FORMAT_NEWER when a newer program wrote the file: it stays as it is. */
export function requireOwnVersion(path: string): void {
  const version = newerVersionIn(path)
  if (version !== null) throw newerFormat(path, version, FORMATS.json)
}

/** The version of a file that a newer program wrote; null: of this one, or of one before it, or there is none. */
export function newerVersionIn(path: string): number | null {
  const version = versionIn(headOf(path))
  return version > FORMATS.json ? version : null
}

/** Of whatever is not a plain file: nothing. */
const NO_FILE: ReadonlySet<unknown> = new Set(['ENOENT', 'ENOTDIR', 'EISDIR', 'ELOOP', 'ENXIO', 'EACCES'])

function headOf(path: string): string {
  try {
    const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW)
    try {
      const head = Buffer.alloc(HEAD_BYTES)
      return head.toString('utf8', 0, readSync(fd, head))
    } finally {
      closeSync(fd)
    }
  } catch (error) {
    if (NO_FILE.has((error as NodeJS.ErrnoException).code)) return ''
    throw error
  }
}

/** Creates a file that must not exist yet, complete from its first moment. false: it already exists. */
export function createFileExclusive(path: string, data: string | Buffer, options: AtomicWriteOptions = {}): boolean {
  let created = false
  writeThrough(path, data, options, (temporary, target) => {
    created = tryLink(temporary, target)
    unlinkSync(temporary)
  })
  return created
}

/** Files that killed writers in this directory left unfinished. */
export function findHalfWritten(directory: string): string[] {
  return readdirSync(directory).flatMap((name) => {
    const pid = /^\..+\.([1-9]\d*)\.[0-9a-f]{8}\.tmp$/.exec(name)?.[1]
    return pid === undefined || identify(Number(pid)) !== null ? [] : [join(directory, name)]
  })
}

/** A file's content, or a rename, link or unlink in a directory, survives power loss. */
export function syncPath(path: string): void {
  const fd = openSync(path, 'r')
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}

function writeThrough(
  path: string,
  data: string | Buffer,
  options: AtomicWriteOptions,
  publish: (temporary: string, target: string) => void,
): void {
  const durable = options.durable ?? true
  const temporary = options.temporary ?? besideIt(path)
  try {
    const fd = openSync(temporary, 'wx', options.mode ?? 0o600)
    try {
      writeAll(fd, typeof data === 'string' ? Buffer.from(data, 'utf8') : data)
      if (durable) fsyncSync(fd)
    } finally {
      closeSync(fd)
    }
    publish(temporary, path)
  } catch (error) {
    removeFile(temporary)
    throw error
  }
  if (durable) syncPath(dirname(path))
}

/** The dot keeps it out of every listing; the random part keeps two writers apart. */
function besideIt(path: string): string {
  return join(dirname(path), `.${basename(path)}.${process.pid}.${randomBytes(4).toString('hex')}.tmp`)
}

function tryLink(existing: string, path: string): boolean {
  try {
    linkSync(existing, path)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

/** `position`: where in the file; by default where the last write ended. */
export function writeAll(fd: number, data: Buffer, position: number | null = null): void {
  let offset = 0
  while (offset < data.length) {
    offset += writeSync(fd, data, offset, data.length - offset, position === null ? null : position + offset)
  }
}
