// Plays a recording in this terminal, and leaves the terminal as it was, however it ends.
import { AoError } from '../../../contract/errors.ts'
import type { CastEvent } from '../../../core/recording/cast.ts'
import { createPlayFilter, type PlayPace, RESTORE_TERMINAL, waitBetween } from '../../../core/recording/playable.ts'
import { markTurns } from '../../../core/text/visible-text.ts'
import { joinParts, type ReadRecording } from '../../../store/recording/read-recording.ts'
import type { Io } from '../../print/io.ts'

/** Terminals answer some sequences as if somebody typed; those answers must not reach the shell. */
const ANSWERS_MS = 50
const CLEAR = '\u001b[0m\u001b[2J\u001b[H'

export async function play(recording: ReadRecording, pace: PlayPace, io: Io): Promise<number> {
  const header = recording.parts[0]?.header
  if (!header || !io.isTerminal || !io.stdin.isTTY) {
    throw new AoError('USAGE', 'Playing needs a terminal', { hint: 'Print the text without --play' })
  }
  if (header.cols > io.width() || header.rows > io.height()) {
    io.note(`It was recorded at ${header.cols}x${header.rows}; this terminal is smaller, so lines will look broken.`)
  }
  const keys = takeKeys(io)
  const disarm = io.onInterrupt(() => {
    io.writeRaw(RESTORE_TERMINAL)
    keys.release()
  })
  try {
    io.writeRaw(CLEAR)
    await playEvents(joinParts(recording), pace, keys, io)
    await keys.wait(ANSWERS_MS)
  } finally {
    io.writeRaw(`${RESTORE_TERMINAL}\u001b[9999;1H\r\n`)
    keys.release()
    disarm()
  }
  return 0
}

async function playEvents(events: CastEvent[], pace: PlayPace, keys: Keys, io: Io): Promise<void> {
  const filter = createPlayFilter()
  let before = events[0]?.at ?? 0
  for (const { at, kind, data } of events) {
    await keys.wait(waitBetween(before, at, pace))
    before = at
    if (keys.isOver() || io.stopped.aborted) return
    if (kind === 'o') io.writeRaw(markTurns(filter(data)))
  }
}

interface Keys {
  /** Longer while it is paused; shorter when it was ended. */
  wait(ms: number): Promise<void>
  isOver(): boolean
  release(): void
}

function takeKeys({ stdin }: Pick<Io, 'stdin'>): Keys {
  let isOver = false
  let isPaused = false
  let wake: () => void = () => undefined
  const take = (bytes: Buffer) => {
    // Only what a person presses: an answer of the terminal begins with an escape.
    const key = bytes.toString()
    if (key === 'q' || key === '\u0003' || key === '\u0004') isOver = true
    if (key === ' ') isPaused = !isPaused
    wake()
  }
  stdin.setRawMode(true)
  stdin.on('data', take)
  stdin.resume()
  return {
    async wait(ms) {
      const end = performance.now() + ms
      for (;;) {
        const left = end - performance.now()
        if (isOver || (!isPaused && left <= 0)) return
        const woken = Promise.withResolvers<void>()
        wake = woken.resolve
        const timer = isPaused ? undefined : setTimeout(wake, left)
        await woken.promise
        clearTimeout(timer)
      }
    },
    isOver: () => isOver,
    release() {
      stdin.off('data', take)
      stdin.setRawMode(false)
      stdin.pause()
    },
  }
}
