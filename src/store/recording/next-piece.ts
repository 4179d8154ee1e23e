// A recorded terminal piece by piece, for another machine. Parts only grow, so what it has already is where it continues.
import { readBytes } from '../../lib/plain-file.ts'
import { listParts, recordingDirectory } from './recording-files.ts'

export interface RecordedPiece {
  part: number
  data: Buffer
}

/** More than a part ever has. */
const MAX_PART_BYTES = 16 * 1024 * 1024

/** What follows after this many bytes of this part: the rest of it, or the next one. null: nothing yet. */
export function nextPiece(directory: string, has: { part: number; bytes: number }): RecordedPiece | null {
  const parts = listParts(recordingDirectory(directory))
  const next = parts.find(({ number, bytes }) => number > has.part || (number === has.part && bytes > has.bytes))
  if (!next) return null
  const data = readBytes(next.path, { maxBytes: MAX_PART_BYTES, noFollow: true })
  return { part: next.number, data: next.number === has.part ? data.subarray(has.bytes) : data }
}
