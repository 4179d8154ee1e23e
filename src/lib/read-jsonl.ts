// Reads files that belong to other programs: only plain ones, and never blocking. Of an agent's JSONL file it reads on from where
// the last reading stopped, or the end. Never throws because of the content: damaged and oversized lines are counted and skipped;
// a missing or non-plain file reads as null.
import { createHash } from 'node:crypto'
import { closeSync, existsSync, fstatSync, read, readSync } from 'node:fs'
import { isObject, type JsonObject } from '../core/text/json-fields.ts'
import { openPlain } from './plain-file.ts'

/** Where a reading stopped. `mark` is a digest of the bytes before it: a file rewritten in place is detected. */
export interface JsonlCursor {
  inode: number
  offset: number
  mark: string
  /** The offset lies inside a line too long to keep: the rest of it is skipped. */
  insideLongLine: boolean
}

export interface JsonlReading {
  cursor: JsonlCursor
  /** false: the cursor did not match the file (or was null), so the reading began at the first byte. */
  continued: boolean
  /** true: everything that was in the file when it was opened has been read. */
  complete: boolean
  /** Lines that are not JSON objects or are too long. */
  damaged: number
}

export interface ReadJsonlOptions {
  /** Inspects the raw line; false skips it unparsed. Parsing is the expensive part. */
  wants?: ((line: Buffer) => boolean) | undefined
  maxLineBytes?: number | undefined
  /** More than this is left for the next reading (`complete: false`). */
  maxBytes?: number | undefined
}

export interface JsonlPart {
  records: JsonObject[]
  /** Whether the file's first byte is included. */
  fromStart: boolean
  damaged: number
  size: number
  modifiedAt: Date
}

const CHUNK_BYTES = 256 * 1024
const MARK_BYTES = 256
const DEFAULT_MAX_LINE = 16 * 1024 * 1024
const DEFAULT_MAX_BYTES = 1024 * 1024 * 1024
const NEWLINE = 0x0a

/**
 * Passes every new complete line to `onRecord`, oldest first. A last line without its newline waits for the next reading.
 */
export async function readJsonl(
  path: string,
  cursor: JsonlCursor | null,
  onRecord: (record: JsonObject) => void,
  options: ReadJsonlOptions = {},
): Promise<JsonlReading | null> {
  return withPlainFile(path, async (file, stats) => {
    const continued = cursor !== null && (await fits(file, stats, cursor))
    const start = continued ? cursor : { offset: 0, insideLongLine: false }
    const maxBytes = options.maxBytes ?? DEFAULT_MAX_BYTES
    // A line that fills a whole reading would be read again and again: it counts as too long.
    const maxLineBytes = Math.min(options.maxLineBytes ?? DEFAULT_MAX_LINE, maxBytes - 1)
    const lines = createLineSplitter(maxLineBytes, start.insideLongLine)
    const end = Math.min(stats.size, start.offset + maxBytes)
    let damaged = 0
    let position = start.offset
    while (position < end) {
      const chunk = await readAt(file, position, Math.min(CHUNK_BYTES, end - position))
      if (chunk.length === 0) break
      position += chunk.length
      for (const line of lines.push(chunk)) {
        const record = line === null ? null : options.wants?.(line) === false ? undefined : parseObject(line)
        if (record === null) damaged++
        else if (record !== undefined) onRecord(record)
      }
    }
    const offset = position - lines.pendingBytes()
    return {
      cursor: {
        inode: stats.ino,
        offset,
        mark: await markBefore(file, offset),
        insideLongLine: lines.insideLongLine(),
      },
      continued,
      complete: position >= stats.size,
      damaged,
    }
  })
}

/** The records in the last `bytes` of the file; a line cut by that boundary is left out. */
export async function readTail(path: string, bytes: number): Promise<JsonlPart | null> {
  return withPlainFile(path, async (file, stats) => {
    const from = Math.max(0, stats.size - bytes)
    const text = await readAt(file, from, stats.size - from)
    const whole = from === 0 ? text : text.subarray(text.indexOf(NEWLINE) + 1 || text.length)
    return { ...parseLines(whole), fromStart: from === 0, size: stats.size, modifiedAt: stats.mtime }
  })
}

/** The records in the first `bytes` of the file. */
export async function readHead(path: string, bytes: number): Promise<JsonlPart | null> {
  return withPlainFile(path, async (file, stats) => {
    const text = await readAt(file, 0, Math.min(bytes, stats.size))
    return { ...parseLines(text), fromStart: true, size: stats.size, modifiedAt: stats.mtime }
  })
}

/** Like `readTail`, but reads further back, up to `maxBytes`, until `isEnough` or the start of the file. */
export async function readTailUntil(
  path: string,
  isEnough: (tail: JsonlPart) => boolean,
  options: { bytes?: number; maxBytes?: number } = {},
): Promise<JsonlPart | null> {
  const maxBytes = options.maxBytes ?? DEFAULT_MAX_LINE
  let bytes = Math.min(options.bytes ?? 64 * 1024, maxBytes)
  for (;;) {
    const tail = await readTail(path, bytes)
    if (tail === null || tail.fromStart || bytes >= maxBytes || isEnough(tail)) return tail
    bytes = Math.min(bytes * 8, maxBytes)
  }
}

async function fits(file: PlainFile, stats: FileStats, cursor: JsonlCursor): Promise<boolean> {
  if (stats.ino !== cursor.inode || stats.size < cursor.offset) return false
  return (await markBefore(file, cursor.offset)) === cursor.mark
}

async function markBefore(file: PlainFile, offset: number): Promise<string> {
  const from = Math.max(0, offset - MARK_BYTES)
  const bytes = await readAt(file, from, offset - from)
  return createHash('sha256').update(bytes).digest('hex').slice(0, 16)
}

interface LineSplitter {
  /** Whole lines; null stands for one that was too long. */
  push(chunk: Buffer): Array<Buffer | null>
  /** Bytes of an incomplete line, kept for the next chunk. */
  pendingBytes(): number
  insideLongLine(): boolean
}

function createLineSplitter(maxLineBytes: number, startsInsideLongLine: boolean): LineSplitter {
  let pending: Buffer[] = []
  let pendingBytes = 0
  let tooLong = startsInsideLongLine
  const keep = (part: Buffer) => {
    pending.push(part)
    pendingBytes += part.length
    if (pendingBytes <= maxLineBytes) return
    tooLong = true
    pending = []
    pendingBytes = 0
  }
  return {
    push(chunk) {
      const lines: Array<Buffer | null> = []
      for (const { bytes, ended } of splitLines(chunk)) {
        if (!tooLong) keep(bytes)
        if (!ended) continue
        lines.push(tooLong ? null : Buffer.concat(pending))
        pending = []
        pendingBytes = 0
        tooLong = false
      }
      return lines
    },
    pendingBytes: () => pendingBytes,
    insideLongLine: () => tooLong,
  }
}

function* splitLines(bytes: Buffer): Generator<{ bytes: Buffer; ended: boolean }> {
  let start = 0
  while (start < bytes.length) {
    const newline = bytes.indexOf(NEWLINE, start)
    if (newline === -1) {
      yield { bytes: bytes.subarray(start), ended: false }
      return
    }
    yield { bytes: bytes.subarray(start, newline), ended: true }
    start = newline + 1
  }
}

function parseLines(text: Buffer): { records: JsonObject[]; damaged: number } {
  const records: JsonObject[] = []
  let damaged = 0
  for (const { bytes, ended } of splitLines(text)) {
    const record = parseObject(bytes)
    if (record) records.push(record)
    // A last line without a newline is still being written, or cut off by the boundary.
    else if (record === null && ended) damaged++
  }
  return { records, damaged }
}

/** undefined: an empty line. null: not a JSON object. */
function parseObject(line: Buffer): JsonObject | null | undefined {
  const text = line.toString('utf8').trim()
  if (text === '') return undefined
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : null
  } catch {
    // Not JSON: the caller counts it.
    return null
  }
}

interface FileStats {
  size: number
  ino: number
  mtime: Date
}

/** An open file. */
type PlainFile = number

/** Opens without blocking (a FIFO would block forever) and reads only plain files. */
export async function withPlainFile<T>(
  path: string,
  use: (file: PlainFile, stats: FileStats) => Promise<T>,
): Promise<T | null> {
  // A missing one is the usual case for many agents, and a failed open costs ten times as much as this.
  if (!existsSync(path)) return null
  let file: PlainFile
  try {
    // Opening and inspecting take microseconds; handing them to another thread takes longer than doing them.
    file = openPlain(path)
  } catch {
    // Missing, unreadable or not plain: for a reader of another program's files there is nothing to read.
    return null
  }
  try {
    return await use(file, fstatSync(file))
  } catch {
    // It disappeared or became unreadable while we read.
    return null
  } finally {
    closeSync(file)
  }
}

/** Up to this size a synchronous read is faster; longer ones leave the process free meanwhile. */
const QUICK_BYTES = 64 * 1024

export async function readAt(file: PlainFile, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(length)
  let filled = 0
  while (filled < length) {
    const where = { offset: filled, length: length - filled, position: position + filled }
    const count = length <= QUICK_BYTES ? readSync(file, buffer, where) : await readSlowly(file, buffer, where)
    if (count === 0) break
    filled += count
  }
  return buffer.subarray(0, filled)
}

function readSlowly(
  file: PlainFile,
  buffer: Buffer,
  where: { offset: number; length: number; position: number },
): Promise<number> {
  return new Promise((resolve, reject) => {
    read(file, buffer, where.offset, where.length, where.position, (error, count) =>
      error ? reject(error) : resolve(count),
    )
  })
}
