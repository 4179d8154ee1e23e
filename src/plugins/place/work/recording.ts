// The recorded terminal of a session in a place comes home with its work. It has been redacted there, where the agent's
// environment is known; here it is text that only readers of recordings open.
import { parseHeader } from '../../../core/recording/cast.ts'
import type { RecordedPiece } from '../../../store/recording/next-piece.ts'
import { appendToPart, dropOldest, listParts, recordingDirectory } from '../../../store/recording/recording-files.ts'
import type { LaunchKey } from '../home/line-files.ts'
import { type Far, statusOf } from '../reach/far.ts'
import { readAll } from '../wire.ts'
import type { Keep } from './bring-home.ts'

const TOTAL_BYTES = 16 * 1024 * 1024
/** Of a part: a host begins the next one after a megabyte and the line that exceeds it. */
const MAX_PART_BYTES = 4 * 1024 * 1024
/** At once; the rest comes with the next save. */
const MOST_PIECES = 64
const TIMEOUT_MS = 60_000

export async function bringRecordingHome(far: Far, { stateDir, spawnId }: LaunchKey, keep: Keep): Promise<void> {
  const directory = recordingDirectory(stateDir)
  const before = firstNumber(directory, keep)
  for (let pieces = 0; pieces < MOST_PIECES; pieces++) {
    const last = listParts(directory).findLast(({ number }) => number > before)
    const has = last ? { part: last.number - before, bytes: last.bytes } : { part: 0, bytes: 0 }
    const piece = await fetchPiece(far, has)
    if (!piece || !isSound(piece, has, spawnId)) return
    appendToPart(directory, before + piece.part, piece.data)
    dropOldest(directory, TOTAL_BYTES)
  }
}

/** Each place counts its parts from one; here they follow those of earlier launches. */
function firstNumber(directory: string, keep: Keep): number {
  const recorded = keep.state().recordedBefore
  if (recorded !== undefined) return recorded
  const before = listParts(directory).at(-1)?.number ?? 0
  keep.save({ recordedBefore: before })
  return before
}

/** null: there is nothing new, or the host is of an older version. */
async function fetchPiece(far: Far, { part, bytes }: { part: number; bytes: number }): Promise<RecordedPiece | null> {
  const stream = far.stream('GET /recording', { query: { part, bytes } })
  const timer = setTimeout(() => stream.destroy(new Error('no answer in time')), TIMEOUT_MS)
  stream.once('close', () => clearTimeout(timer))
  let sent = Number.NaN
  stream.on('response', (headers) => {
    sent = Number(headers['x-part'])
  })
  const status = await statusOf(stream)
  const data = await readAll(stream, MAX_PART_BYTES)
  return status === 200 && Number.isSafeInteger(sent) && data.length > 0 ? { part: sent, data } : null
}

/** Nothing that a place says is trusted: it is the rest of the part, or the beginning of a later one of this launch. */
function isSound({ part, data }: RecordedPiece, has: { part: number; bytes: number }, spawnId: string): boolean {
  if (part === has.part) return has.bytes + data.length <= MAX_PART_BYTES
  const [header = ''] = data.toString('utf8', 0, 4096).split('\n', 1)
  return part > has.part && part < 100_000 && parseHeader(header)?.launch === spawnId
}
