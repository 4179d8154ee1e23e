// The agent's output on disk, in files named after the offset of their first byte. Bounded: when it is full, the caller stops
// reading the agent, which then waits. Survives every process; a power cut may cost what the system had not written yet.
import { closeSync, constants, existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { writeAll } from '../lib/atomic-write.ts'
import { openPlain, readRange } from '../lib/plain-file.ts'
import { removeFile } from '../lib/remove.ts'

export interface SpoolLimits {
  /** A file larger than this is followed by the next. */
  fileBytes: number
  /** With this much uncommitted output, no more is accepted. */
  maxBytes: number
}

const SPOOL_LIMITS: SpoolLimits = { fileBytes: 256 * 1024, maxBytes: 64 * 1024 * 1024 }

export interface Spool {
  /** Everything before this offset has been committed or dropped. */
  begin(): number
  end(): number
  isFull(): boolean
  /** On a full disk it stays in memory, and the spool is full until it could be written or was committed. */
  append(chunk: Buffer): void
  /** Tries again to write what is in memory. false: it still is. */
  retry(): boolean
  /** At most `maxBytes`, from this offset on; empty at the end. */
  read(from: number, maxBytes: number): Buffer
  /** Output before this offset is dropped, a file at a time. */
  commit(to: number): void
  close(): void
}

interface SpoolFile {
  from: number
  to: number
  path: string
  fd: number
}

const NAME = /^out-(\d+)$/

/** In an empty directory of its own. */
export function createSpool(directory: string, limits: SpoolLimits = SPOOL_LIMITS): Spool {
  const files: SpoolFile[] = []
  let begin = 0
  let end = 0
  /** The newest output, which could not be written. */
  let unwritten: { from: number; chunk: Buffer } | null = null
  const write = (chunk: Buffer, from: number): boolean => {
    try {
      let file = files.at(-1)
      if (!file || file.to !== from || file.to - file.from >= limits.fileBytes) {
        file = openFile(directory, from)
        files.push(file)
      }
      // At its offset: a write that failed half-way is overwritten by the next.
      writeAll(file.fd, chunk, file.to - file.from)
      file.to += chunk.length
      return true
    } catch {
      // The disk is full or failing.
      return false
    }
  }
  const drop = (file: SpoolFile) => {
    closeSync(file.fd)
    removeFile(file.path)
  }
  return {
    begin: () => begin,
    end: () => end,
    isFull: () => unwritten !== null || end - begin >= limits.maxBytes,
    append(chunk) {
      if (!write(chunk, end)) unwritten = { from: end, chunk }
      end += chunk.length
    },
    retry() {
      if (unwritten && write(unwritten.chunk, unwritten.from)) unwritten = null
      return unwritten === null
    },
    read(from, maxBytes) {
      if (unwritten && from >= unwritten.from) {
        return unwritten.chunk.subarray(from - unwritten.from, from - unwritten.from + maxBytes)
      }
      const file = files.find((one) => from >= one.from && from < one.to)
      if (!file) return Buffer.alloc(0)
      return readRange(file.fd, from - file.from, Math.min(file.to, from + maxBytes) - file.from)
    },
    commit(to) {
      begin = Math.max(begin, Math.min(to, end))
      if (begin === end) unwritten = null
      // The newest file is kept while it may still grow.
      while (files.length > 0 && files[0]!.to <= begin && (files.length > 1 || isLong(files[0]!, limits))) {
        drop(files.shift()!)
      }
    },
    close() {
      for (const file of files.splice(0)) closeSync(file.fd)
    },
  }
}

function isLong(file: SpoolFile, { fileBytes }: SpoolLimits): boolean {
  return file.to - file.from >= fileBytes
}

function openFile(directory: string, from: number): SpoolFile {
  const path = leftoverFile(directory, from)
  const flags = constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_TRUNC
  return { from, to: from, path, fd: openPlain(path, flags, 0o600) }
}

/**
 * What a host that is gone left, from this offset on, in pieces. Ends at the first gap: what follows it belongs to nothing.
 */
export function* readLeftover(directory: string, after: number, pieceBytes = 64 * 1024): Generator<Buffer> {
  let at = after
  for (const { from, path } of listFiles(directory)) {
    if (from > at) return
    const fd = openPlain(path, constants.O_RDONLY | constants.O_NOFOLLOW)
    try {
      for (;;) {
        const piece = readRange(fd, at - from, at - from + pieceBytes)
        if (piece.length === 0) break
        at += piece.length
        yield piece
      }
    } finally {
      closeSync(fd)
    }
  }
}

/** All of it. null: there is none. */
export function findLeftover(directory: string): { from: number; pieces(): Iterable<Buffer> } | null {
  const [first] = existsSync(directory) ? listFiles(directory) : []
  return first ? { from: first.from, pieces: () => readLeftover(directory, first.from) } : null
}

/** One file of it, in a directory without a host. */
export function leftoverFile(directory: string, from: number): string {
  return join(directory, `out-${from}`)
}

function listFiles(directory: string): Array<{ from: number; path: string }> {
  return readdirSync(directory)
    .flatMap((name) => {
      const from = NAME.exec(name)?.[1]
      return from === undefined ? [] : [{ from: Number(from), path: join(directory, name) }]
    })
    .sort((a, b) => a.from - b.from)
}
