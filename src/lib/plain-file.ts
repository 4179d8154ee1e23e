// The one way to open a file by name. Agents, repositories and other programs can put a named pipe, a device, a directory
// or a link where a file is expected: opening never blocks, only plain files are read, and no more of them than requested.
import {
  closeSync,
  constants,
  type Dirent,
  fstatSync,
  ftruncateSync,
  opendirSync,
  openSync,
  readdirSync,
  readSync,
  type Stats,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { AoError } from '../contract/errors.ts'
import { FORMATS, HEAD_BYTES, newerFormat, versionIn } from '../contract/formats.ts'

export interface ReadOptions {
  /** A larger file is refused rather than cut. */
  maxBytes?: number
  /** For files that ao alone writes: a symbolic link in their place is refused. */
  noFollow?: boolean
}

/** More than any file that ao reads as a whole ever needs. */
export const MAX_BYTES = 16 * 1024 * 1024
/** Files of other programs that grow with use: git's `packed-refs`, an agent's account file. */
export const MAX_FOREIGN_BYTES = 256 * 1024 * 1024
const FIRST_READ = 16 * 1024

export function readPlainText(path: string, options?: ReadOptions): string {
  return readBytes(path, options).toString('utf8')
}

export function readBytes(path: string, options?: ReadOptions): Buffer {
  return readWithStats(path, options).bytes
}

/** Four system calls in all: lists of sessions read hundreds of files. */
export function readWithStats(path: string, options: ReadOptions = {}): { bytes: Buffer; stats: Stats } {
  const maxBytes = options.maxBytes ?? MAX_BYTES
  const { fd, stats } = openWithStats(path, constants.O_RDONLY | (options.noFollow ? constants.O_NOFOLLOW : 0))
  try {
    if (stats.size > maxBytes) throw tooLarge(path, maxBytes)
    const bytes = readToEnd(fd, stats.size, maxBytes)
    if (bytes === null) throw tooLarge(path, maxBytes)
    return { bytes, stats }
  } finally {
    closeSync(fd)
  }
}

/**
 * The text of a file, or null when there is none. Every other failure is thrown, including a file in place of one of its
 * directories: what was stored below it is unknown, not absent.
 */
export function readIfThere(path: string, options?: ReadOptions): string | null {
  try {
    return readPlainText(path, options)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

/** Where usually nothing is: asked beforehand, because a failed open costs ten times as much. A failure to find out is thrown. */
export function isThere(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined
}

/** What is in a directory, or nothing when there is none: all of it, or at most `count`. Every other failure is thrown. */
export function namesIn(directory: string, count?: number): string[] {
  try {
    return count === undefined ? readdirSync(directory) : firstIn(directory, count)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

function firstIn(directory: string, count: number): string[] {
  const opened = opendirSync(directory)
  try {
    const names: string[] = []
    for (let entry = opened.readSync(); entry !== null && names.length < count; entry = opened.readSync())
      names.push(entry.name)
    return names
  } finally {
    opened.closeSync()
  }
}

/** What is called by a number there, with this ending, in order. */
export function numbersIn(directory: string, ending = ''): number[] {
  return namesIn(directory)
    .flatMap((name) => (name.endsWith(ending) ? name.slice(0, name.length - ending.length) : []))
    .filter((name) => /^[1-9][0-9]{0,8}$/.test(name))
    .map(Number)
    .sort((a, b) => a - b)
}

/** The same with what each of them is. */
export function entriesIn(directory: string): Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

/** Names of the plain files in a directory. */
export function filesIn(directory: string): string[] {
  return entriesIn(directory).flatMap((entry) => (entry.isFile() ? [entry.name] : []))
}

/**
 * For paths laid out by others, where a file in place of a directory means that there is none: git's ref `a/b` beside `a`.
 */
export function readIfReachable(path: string, options?: ReadOptions): string | null {
  try {
    return readIfThere(path, options)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOTDIR') return null
    throw error
  }
}

/** At most this much of the file's end; a character that the cut splits is replaced. */
export function readTail(path: string, bytes: number, options: ReadOptions = {}): Buffer {
  const fd = openPlain(path, constants.O_RDONLY | (options.noFollow ? constants.O_NOFOLLOW : 0))
  try {
    const { size } = fstatSync(fd)
    return readRange(fd, Math.max(0, size - bytes), size)
  } finally {
    closeSync(fd)
  }
}

/** The bytes between two offsets of an open file; fewer when the file is shorter. */
export function readRange(fd: number, start: number, end: number): Buffer {
  const buffer = Buffer.allocUnsafe(Math.max(0, end - start))
  let filled = 0
  while (filled < buffer.length) {
    const count = readSync(fd, buffer, filled, buffer.length - filled, start + filled)
    if (count === 0) break
    filled += count
  }
  return buffer.subarray(0, filled)
}

/** Whether its last line is complete; there is none in an empty file. */
export function endsWithNewline(fd: number): boolean {
  const { size } = fstatSync(fd)
  return size === 0 || readRange(fd, size - 1, size)[0] === 0x0a
}

const PIECE_BYTES = 64 * 1024

/** A file piece by piece, for one that may be too large for the memory; up to `end`, or as far as it goes. */
export function* readPieces(path: string, end: number = Number.POSITIVE_INFINITY): Generator<Buffer> {
  const fd = openPlain(path)
  try {
    for (let at = 0; at < end; ) {
      const piece = readRange(fd, at, Math.min(end, at + PIECE_BYTES))
      if (piece.length === 0) return
      at += piece.length
      yield piece
    }
  } finally {
    closeSync(fd)
  }
}

/** What was written since the file had this size, at most its end: for the last output of a program that failed. */
export function readSince(path: string, sizeBefore: number, maxBytes: number): string {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0
  return size <= sizeBefore ? '' : readTail(path, Math.min(size - sizeBefore, maxBytes)).toString('utf8')
}

const APPEND = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT

/** To append, and to read existing content. Created when missing; never through a link, and never to what a newer program wrote. */
export function openForAppend(path: string, mode = 0o600): number {
  const fd = openPlain(path, APPEND | constants.O_NOFOLLOW, mode)
  const version = versionIn(readRange(fd, 0, HEAD_BYTES).toString('utf8'))
  if (version <= FORMATS.json) return fd
  closeSync(fd)
  throw newerFormat(path, version, FORMATS.json)
}

/** To overwrite. Created when missing; never through a link. */
export function openEmpty(path: string): number {
  // Emptied only once it is known to be a plain file.
  const fd = openPlain(path, constants.O_WRONLY | constants.O_CREAT | constants.O_NOFOLLOW, 0o600)
  ftruncateSync(fd)
  return fd
}

/** A file descriptor of a plain file. The caller closes it. */
export function openPlain(path: string, flags: number = constants.O_RDONLY, mode?: number): number {
  return openWithStats(path, flags, mode).fd
}

function openWithStats(path: string, flags: number, mode?: number): { fd: number; stats: Stats } {
  const fd = openOrExplain(path, flags | constants.O_NONBLOCK, mode)
  try {
    const stats = fstatSync(fd)
    if (!stats.isFile()) throw unusable(path, `is ${kindOf(stats)}, not a plain file`)
    return { fd, stats }
  } catch (error) {
    closeSync(fd)
    throw error
  }
}

function openOrExplain(path: string, flags: number, mode?: number): number {
  try {
    return openSync(path, flags, mode)
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    // A link under O_NOFOLLOW; a socket, or a pipe without a reader; a directory opened for writing.
    if (code === 'ELOOP') throw unusable(path, 'is a symbolic link, or part of a circle of links', error)
    if (code === 'ENXIO') throw unusable(path, 'is a socket or a named pipe, not a plain file', error)
    if (code === 'EISDIR') throw unusable(path, 'is a directory, not a plain file', error)
    throw error
  }
}

function readToEnd(fd: number, size: number, maxBytes: number): Buffer | null {
  // One byte more, so that a file that has not grown ends within the first read. Those in /proc have no size and are
  // read until nothing comes.
  let buffer = Buffer.allocUnsafe(size === 0 ? FIRST_READ : size + 1)
  let filled = 0
  for (;;) {
    const count = readSync(fd, buffer, filled, buffer.length - filled, null)
    filled += count
    if (count === 0 || (filled === size && filled < buffer.length)) return buffer.subarray(0, filled)
    if (filled > maxBytes) return null
    if (filled === buffer.length) buffer = Buffer.concat([buffer, Buffer.allocUnsafe(Math.max(FIRST_READ, filled))])
  }
}

function kindOf(stats: Stats): string {
  if (stats.isDirectory()) return 'a directory'
  if (stats.isFIFO()) return 'a named pipe'
  if (stats.isSocket()) return 'a socket'
  return stats.isCharacterDevice() || stats.isBlockDevice() ? 'a device' : 'something else'
}

function tooLarge(path: string, maxBytes: number): AoError {
  return unusable(path, `is larger than ${maxBytes} bytes`)
}

function unusable(path: string, why: string, cause?: unknown): AoError {
  return new AoError('FILE_UNUSABLE', `${path} ${why}`, {
    hint: `See what is there with: ls -ld ${path}`,
    details: { path, why },
    cause,
  })
}

/** A private copy that is as old as the file, to the second. Git trusts files that are older than its index: a younger copy of it would hide changes. */
export function copyWithTime(source: string, target: string): void {
  writeFileSync(target, readBytes(source, { maxBytes: MAX_FOREIGN_BYTES }))
  const written = Math.floor(statSync(source).mtimeMs / 1000)
  utimesSync(target, written, written)
}
