// Records a terminal while it lives. Nothing here waits for the disk, and nothing that the disk does reaches the caller: what
// cannot be written becomes a gap, which the recording itself names.
import { errorText } from '../../contract/errors.ts'
import type { TerminalSize } from '../../contract/terminal-frames.ts'
import { END_MARK, formatEvent, formatHeader, formatSize, GAP_MARK } from '../../core/recording/cast.ts'
import { redactOutput, splitUnfinished } from '../../core/recording/redact-output.ts'
import { createPartWriter, type PartWriter } from './part-writer.ts'

export interface RecorderOptions {
  /** `recordingDirectory` of the session. */
  directory: string
  /** Id of this start of the agent. */
  launch: string
  size: TerminalSize
  /** Values that must not be recorded. */
  secrets(): readonly string[]
  /** Sequences that draw what is visible now over whatever is there; null: that follows as output, or nothing is there yet. */
  redraw(): string | null
  /** Milliseconds since 1970. */
  now(): number
  limits?: Partial<RecordingLimits>
}

export interface RecordingLimits {
  partBytes: number
  totalBytes: number
  /** What may wait for a slow disk. */
  queuedBytes: number
  retryMs: number
  /** Of output at once, and in each second after it. Recording more would take time from the agent. */
  burstCharacters: number
  charactersPerSecond: number
}

export interface Recorder {
  output(text: string): void
  resize(size: TerminalSize): void
  /** Something was not seen by the caller, since then. */
  gap(why: string, since: number): void
  /** Resolves when it is written, or cannot be. */
  end(why: string): Promise<void>
}

const LIMITS: RecordingLimits = {
  partBytes: 1024 * 1024,
  totalBytes: 16 * 1024 * 1024,
  queuedBytes: 4 * 1024 * 1024,
  retryMs: 10_000,
  burstCharacters: 4 * 1024 * 1024,
  charactersPerSecond: 1024 * 1024,
}

/** Output within this time is one event. */
const BATCH_MS = 100
const BATCH_CHARACTERS = 64 * 1024
/** Longer than this an unfinished word does not wait for its end. */
const WAIT_FOR_WORD_MS = 500

interface Recording {
  options: RecorderOptions
  limits: RecordingLimits
  writer: PartWriter
  size: TerminalSize
  /** The part that what follows belongs to, and how much it has. null: none was begun yet. */
  part: { startedAt: number; bytes: number } | null
  /** Output that is not an event yet. */
  held: string
  heldSince: number
  timer: NodeJS.Timeout | null
  /** When something was last written. */
  soundAt: number
  /** Nothing is recorded since then; the last attempt was at `triedAt`. */
  gap: { since: number; why: string; triedAt: number } | null
  /** How much output may still come before it is too much, as of then. */
  room: { characters: number; at: number }
  /** Output is left out until there is room again. */
  flood: NodeJS.Timeout | null
  isOver: boolean
}

export function createRecorder(options: RecorderOptions): Recorder {
  const limits = { ...LIMITS, ...options.limits }
  const { directory } = options
  const recording: Recording = {
    options,
    limits,
    writer: createPartWriter({
      directory,
      totalBytes: limits.totalBytes,
      onWritten: () => {
        recording.soundAt = options.now()
      },
      onFailure: (error) => openGap(recording, errorText(error), recording.soundAt),
    }),
    size: options.size,
    part: null,
    held: '',
    heldSince: 0,
    timer: null,
    soundAt: options.now(),
    gap: null,
    room: { characters: limits.burstCharacters, at: options.now() },
    flood: null,
    isOver: false,
  }
  return {
    output: (text) => takeOutput(recording, text),
    resize(size) {
      flush(recording, true)
      recording.size = size
      if (recording.part && !recording.flood) write(recording, 'r', formatSize(size))
    },
    gap(why, since) {
      flush(recording, true)
      openGap(recording, why, since)
    },
    async end(why) {
      if (recording.isOver) return
      clearInterval(recording.flood ?? undefined)
      recording.flood = null
      flush(recording, true)
      write(recording, 'm', `${END_MARK}${why}`)
      recording.isOver = true
      await recording.writer.close()
    },
  }
}

function takeOutput(recording: Recording, text: string): void {
  if (recording.isOver || isTooMuch(recording, text.length)) return
  if (recording.held === '') recording.heldSince = recording.options.now()
  recording.held += text
  if (recording.held.length > BATCH_CHARACTERS) flush(recording, true)
  else recording.timer ??= setTimeout(() => flush(recording, false), BATCH_MS)
}

const CALM_MS = 1_000

/** The screen is recorded again once it is calmer. */
function isTooMuch(recording: Recording, characters: number): boolean {
  const { room, limits, options } = recording
  const now = options.now()
  const more = (Math.max(0, now - room.at) * limits.charactersPerSecond) / 1000
  room.characters = Math.min(limits.burstCharacters, room.characters + more) - characters
  room.at = now
  if (room.characters < 0 && !recording.flood) {
    flush(recording, true)
    openGap(recording, 'too much output at once', now)
    recording.flood = setInterval(() => endFlood(recording), CALM_MS)
  }
  room.characters = Math.max(room.characters, -limits.charactersPerSecond)
  return recording.flood !== null
}

function endFlood(recording: Recording): void {
  const { room, limits, options } = recording
  const now = options.now()
  const characters = room.characters + ((now - room.at) * limits.charactersPerSecond) / 1000
  if (recording.isOver || characters <= 0) return
  clearInterval(recording.flood ?? undefined)
  recording.flood = null
  if (recording.gap) closeGap(recording, now)
}

function flush(recording: Recording, isComplete: boolean): void {
  clearTimeout(recording.timer ?? undefined)
  recording.timer = null
  const { held, heldSince, options } = recording
  if (held === '' || recording.isOver) return
  const hasWaited = options.now() - heldSince > WAIT_FOR_WORD_MS
  const [ready, rest] = isComplete || hasWaited ? [held, ''] : splitUnfinished(held)
  recording.held = rest
  if (ready !== '') recording.heldSince = options.now()
  if (rest !== '') recording.timer = setTimeout(() => flush(recording, false), BATCH_MS)
  if (ready !== '') write(recording, 'o', redactOutput(ready, options.secrets()), heldSince)
}

function write(recording: Recording, kind: 'o' | 'r' | 'm', data: string, at = recording.options.now()): void {
  const { writer, limits } = recording
  if (recording.isOver) return
  if (recording.gap) {
    const closed = closeGap(recording, at)
    if (closed === 'no' || (closed === 'drawn' && kind === 'o')) return
  }
  const part = recording.part ?? beginPart(recording, at, '')
  const line = formatEvent({ at, kind, data }, part.startedAt)
  writer.add(line)
  part.bytes += line.length
  if (writer.waiting() > limits.queuedBytes) {
    writer.drop()
    openGap(recording, 'the disk is too slow', recording.soundAt)
  } else if (part.bytes > limits.partBytes && recording.held === '') {
    // Drawn here, where everything that was drawn so far is in the parts before.
    beginPart(recording, at, redraw(recording, at))
  }
}

function beginPart(recording: Recording, startedAt: number, first: string): { startedAt: number; bytes: number } {
  const { options, writer, size } = recording
  writer.begin(formatHeader({ ...size, startedAt, launch: options.launch }) + first)
  recording.part = { startedAt, bytes: 0 }
  return recording.part
}

function redraw({ options }: Recording, at: number): string {
  const drawn = options.redraw()
  return drawn === null ? '' : formatEvent({ at, kind: 'o', data: redactOutput(drawn, options.secrets()) }, at)
}

function openGap(recording: Recording, why: string, since: number): void {
  recording.gap ??= { since, why, triedAt: recording.options.now() }
}

/** no: it is too early to try again. drawn: the new part has everything that was drawn so far. */
function closeGap(recording: Recording, at: number): 'no' | 'begun' | 'drawn' {
  const { gap, options, limits, writer } = recording
  if (!gap || (writer.hasFailed() && options.now() - gap.triedAt < limits.retryMs)) return 'no'
  recording.gap = null
  const seconds = Math.round((at - gap.since) / 1000)
  const mark = formatEvent({ at, kind: 'm', data: `${GAP_MARK}for ${seconds} s: ${gap.why}` }, at)
  const drawn = redraw(recording, at)
  beginPart(recording, at, mark + drawn)
  if (drawn === '') return 'begun'
  recording.held = ''
  return 'drawn'
}
