// The lines of a history, forwards or backwards, in chunks: however long the file is, only one chunk is in memory.
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
