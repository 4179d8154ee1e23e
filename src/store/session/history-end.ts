// Where a history ends and the number of its last event, from the file's tail alone, however long the file is.
import { fstatSync } from 'node:fs'
import type { SessionEvent } from '../../contract/events.ts'
import { readRange } from '../../lib/plain-file.ts'

export interface HistoryEnd {
  lastSeq: number
  size: number
  /** Up to here the file consists of whole lines; anything after it was left by a writer that died half-way. */
  soundSize: number
  /** The last event is complete, only its newline is missing. */
  lacksNewline: boolean
}

const FIRST_READ_BYTES = 4 * 1024
const NEWLINE = 0x0a

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
