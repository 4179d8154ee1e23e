// Reads a recorded terminal. Whatever is in the files, the result is events in order: half a line that a killed recorder left is
// ignored, and so is a file that is not a recording.
import type { TerminalSize } from '../../contract/terminal-frames.ts'
import {
  type CastEvent,
  type CastHeader,
  END_MARK,
  formatEvent,
  formatHeader,
  formatSize,
  parseEvent,
  parseHeader,
} from '../../core/recording/cast.ts'
import { readBytes } from '../../lib/plain-file.ts'
import { listParts } from './recording-files.ts'

export interface ReadPart {
  header: CastHeader
  events: CastEvent[]
}

export interface ReadRecording {
  parts: ReadPart[]
  /** There was more before: dropped long ago, or not asked for. */
  isCut: boolean
}

/** A part is at most about a megabyte; larger ones are not ours. */
const MAX_PART_BYTES = 16 * 1024 * 1024

/** `maxBytes`: whole parts from the end, at least one. */
export function readRecording(directory: string, maxBytes = Number.POSITIVE_INFINITY): ReadRecording {
  const all = listParts(directory)
  const wanted: typeof all = []
  let sum = 0
  for (const part of all.toReversed()) {
    if (wanted.length > 0 && sum + part.bytes > maxBytes) break
    wanted.unshift(part)
    sum += part.bytes
  }
  const parts = wanted.flatMap(({ path }) => readPart(path) ?? [])
  return { parts, isCut: wanted.length < all.length || (all[0]?.number ?? 1) > 1 }
}

/** null: not a recording, or dropped in this moment. */
function readPart(path: string): ReadPart | null {
  const [first = '', ...lines] = readLines(path)
  const header = parseHeader(first)
  if (!header) return null
  return { header, events: lines.flatMap((line) => parseEvent(line, header.startedAt) ?? []) }
}

function readLines(path: string): string[] {
  try {
    return readBytes(path, { maxBytes: MAX_PART_BYTES, noFollow: true }).toString('utf8').split('\n')
  } catch {
    // Dropped since it was listed, or no plain file: there is nothing to show of it.
    return []
  }
}

/** How the last start of the agent ended, in words; null: it runs, or nobody was left to write it down. */
export function endOf({ parts }: ReadRecording): string | null {
  const mark = parts.at(-1)?.events.findLast(({ kind, data }) => kind === 'm' && data.startsWith(END_MARK))
  return mark ? mark.data.slice(END_MARK.length) : null
}

/** Everything as one sequence, with an event where a part has another size, and an empty screen where the agent started again. */
export function joinParts({ parts }: ReadRecording): CastEvent[] {
  const joined = parts.flatMap(({ header, events }, index) => {
    const before = parts[index - 1]?.header ?? header
    const at = header.startedAt
    const isResized = before.cols !== header.cols || before.rows !== header.rows
    const isNewLaunch = before.launch !== header.launch
    return [
      ...(isNewLaunch ? [{ at, kind: 'o' as const, data: emptyScreen(before) }] : []),
      ...(isResized ? [{ at, kind: 'r' as const, data: formatSize(header) }] : []),
      ...events,
    ]
  })
  return inOrder(joined)
}

/** The lines that were visible are above the screen then. */
function emptyScreen({ rows }: TerminalSize): string {
  return `\u001b[?1049l\u001b[!p\u001b[0m\u001b[${rows};1H${'\r\n'.repeat(rows)}\u001b[H`
}

/** A clock that was set back must not make time run backwards. */
function inOrder(events: CastEvent[]): CastEvent[] {
  let last = Number.NEGATIVE_INFINITY
  return events.map((event) => {
    last = Math.max(last, event.at)
    return event.at === last ? event : { ...event, at: last }
  })
}

/** One asciicast of all parts. */
export function toCast(recording: ReadRecording): string {
  const header = recording.parts[0]?.header
  if (!header) return ''
  const events = joinParts(recording).map((event) => formatEvent(event, header.startedAt))
  return formatHeader(header) + events.join('')
}
