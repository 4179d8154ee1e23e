// A file of lines, however long it is: forwards, backwards, or from where a search by halves ends. Never more than a chunk of it
// and one line are held.
import { readRange } from './plain-file.ts'

export interface FileLine {
  /** Without its newline; null: longer than anything that ao writes. */
  bytes: Buffer | null
  /** Its offset in the file, and that of the next line. */
  start: number
  end: number
  /** Its newline is present: anything after the last one is being written now, or its writer died. */
  isWhole: boolean
}

const PIECE = 256 * 1024
/** The end of a file is usually all that is wanted of it. */
const FIRST_PIECE = 4 * 1024
/** More than any runtime accepts as a message, and so than any event. */
const LONGEST_LINE = 32 * 1024 * 1024
const NEWLINE = 0x0a

/** From an offset at which a line begins. */
export function* linesAfter(fd: number, from: number, size: number): Generator<FileLine> {
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
export function* linesBefore(fd: number, size: number): Generator<FileLine> {
  let pieces: Buffer[] = []
  let held = 0
  let end = size
  let isWhole = false
  let length = FIRST_PIECE
  for (let at = size; at > 0; length = Math.min(4 * length, PIECE)) {
    const from = Math.max(0, at - length)
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

/** Where the search ends and plain reading begins. */
const NEAR = 64 * 1024

/**
 * The start of a line with none before it that is not `isEarlier`: of lines in order, from one on none is. null: this line does
 * not say.
 */
export function findOffset(fd: number, size: number, isEarlier: (line: FileLine) => boolean | null): number {
  let low = 0
  for (let high = size; high - low > NEAR; ) {
    const middle = low + Math.floor((high - low) / 2)
    const found = firstThatSays(fd, { from: middle, until: high }, isEarlier)
    if (found?.isEarlier) low = found.start
    else high = middle
  }
  return low
}

function firstThatSays(
  fd: number,
  { from, until }: { from: number; until: number },
  judge: (line: FileLine) => boolean | null,
): { isEarlier: boolean; start: number } | null {
  // The line containing the first byte does not count.
  let isFirst = true
  for (const line of linesAfter(fd, from, until)) {
    const isEarlier = isFirst || !line.isWhole ? null : judge(line)
    isFirst = false
    if (isEarlier !== null) return { isEarlier, start: line.start }
  }
  return null
}

/** The first start of a line at most this far from the end. */
export function lineWithin(fd: number, size: number, bytes: number): number {
  if (size <= bytes) return 0
  for (const line of linesAfter(fd, size - bytes, size)) return line.isWhole ? line.end : size
  return size
}
