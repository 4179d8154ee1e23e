// The file of a history, however long it is: its lines forwards or backwards in chunks, and its end from the tail alone.

import { fstatSync } from 'node:fs'
import type { SessionEvent } from '../../contract/events.ts'
import { readRange } from '../../lib/plain-file.ts'

export interface HistoryLine {
  /** Without its newline; null: too long to be an event of ours. */
  bytes: Buffer | null
  /** Its offset in the file, and that of the next line. */
  start: number
  end: number
  /** Its newline is present: anything after the last one is being written now, or its writer died. */
  isWhole: boolean
}

const PIECE = 256 * 1024
/** More than any runtime accepts as a message. */
const LONGEST_LINE = 32 * 1024 * 1024
const NEWLINE = 0x0a

/** From an offset at which a line begins. */
export function* linesAfter(fd: number, from: number, size: number): Generator<HistoryLine> {
  let pieces: Buffer[] = []
  let held = 0
  let start = from
  for (let at = from; at < size; ) {
    const piece = readRange(fd, at, Math.min(at + PIECE, size))
    // It has become shorter meanwhile.
    if (piece.length === 0) break
    for (let begin = 0; begin < piece.length; ) {
      const newline = piece.indexOf(NEWLINE, begin)
      const until = newline === -1 ? piece.length : newline
      held += until - begin
      // A line that is too long is skipped without being kept.
      pieces = held > LONGEST_LINE ? [] : [...pieces, piece.subarray(begin, until)]
      begin = until + 1
      if (newline === -1) break
      const end = at + newline + 1
      yield { bytes: held > LONGEST_LINE ? null : join(pieces), start, end, isWhole: true }
      pieces = []
      held = 0
      start = end
    }
    at += piece.length
  }
  if (held > 0) yield { bytes: held > LONGEST_LINE ? null : join(pieces), start, end: start + held, isWhole: false }
}

/** From the end of the file to its beginning, the last line first. */
export function* linesBefore(fd: number, size: number): Generator<HistoryLine> {
  let pieces: Buffer[] = []
  let held = 0
  let end = size
  let isWhole = false
  for (let at = size; at > 0; ) {
    const from = Math.max(0, at - PIECE)
    const piece = readRange(fd, from, at)
    if (piece.length < at - from) return
    for (let until = piece.length; until > 0; ) {
      const newline = piece.lastIndexOf(NEWLINE, until - 1)
      held += until - newline - 1
      pieces = held > LONGEST_LINE ? [] : [piece.subarray(newline + 1, until), ...pieces]
      until = newline
      if (newline === -1) break
      const start = from + newline + 1
      if (held > 0 || isWhole) yield { bytes: held > LONGEST_LINE ? null : join(pieces), start, end, isWhole }
      pieces = []
      held = 0
      end = start
      isWhole = true
    }
    at = from
  }
  if (held > 0 || isWhole) yield { bytes: held > LONGEST_LINE ? null : join(pieces), start: 0, end, isWhole }
}

function join(pieces: Buffer[]): Buffer {
  return pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces)
}

export interface HistoryEnd {
  lastSeq: number
  size: number
  /** Up to here the file consists of whole lines; anything after it was left by a writer that died half-way. */
  soundSize: number
  /** The last event is complete, only its newline is missing. */
  lacksNewline: boolean
}

const FIRST_READ_BYTES = 4 * 1024

export function readHistoryEnd(fd: number): HistoryEnd {
  const { size } = fstatSync(fd)
  // One read is usually enough; a very long last event needs more.
  for (let length = FIRST_READ_BYTES; ; length *= 4) {
    const start = Math.max(0, size - length)
    const end = findEnd(readRange(fd, start, size), start)
    if (end) return { size, ...end }
  }
}

/** null: the last event begins before `start`. */
function findEnd(tail: Buffer, start: number): Omit<HistoryEnd, 'size'> | null {
  const lastNewline = tail.lastIndexOf(NEWLINE)
  if (lastNewline === -1 && start > 0) return null
  const unfinished = parseEvent(tail.subarray(lastNewline + 1).toString('utf8'))
  if (unfinished) return { lastSeq: unfinished.seq, soundSize: start + tail.length, lacksNewline: true }
  const soundSize = start + lastNewline + 1
  const lastSeq = lastSeqOf(tail.subarray(0, lastNewline + 1))
  if (lastSeq === null && start > 0) return null
  return { lastSeq: lastSeq ?? 0, soundSize, lacksNewline: false }
}

/**
 * The number of the last line that is an event, searching backwards. The first line may be cut off and then does not count.
 */
function lastSeqOf(lines: Buffer): number | null {
  for (let end = lines.length - 1; end >= 0; ) {
    const begin = end === 0 ? 0 : lines.lastIndexOf(NEWLINE, end - 1) + 1
    const event = parseEvent(lines.subarray(begin, end).toString('utf8'))
    if (event) return event.seq
    end = begin - 1
  }
  return null
}

export function parseEvent(line: string): SessionEvent | null {
  if (!line.startsWith('{')) return null
  try {
    const value = JSON.parse(line) as SessionEvent
    return Number.isSafeInteger(value.seq) && typeof value.type === 'string' ? value : null
  } catch {
    // Half a line, or something that was never an event: the caller reports it where it matters.
    return null
  }
}
