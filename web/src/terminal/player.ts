// Plays a recording: a position in its time that moves by itself or by a person, and what is drawn follows it.
import type { RecordingAnswer } from '../../../src/contract/dashboard/answers.ts'
import { END_MARK } from '../../../src/core/recording/cast.ts'
import { countDue, IDLE_LIMIT_MS, playTimes } from '../../../src/core/recording/play-times.ts'
import { type Canvas, createDrawing } from './draw-recording.ts'

/** Calls back with the time in milliseconds, once, before the next frame; returns how to cancel it. */
export type NextFrame = (act: (now: number) => void) => () => void

export interface PlayerState {
  isPlaying: boolean
  /** Milliseconds of playing at normal speed. */
  position: number
  length: number
  speed: number
  cutsPauses: boolean
  /** What the recording says about this moment, e.g. that something is missing. */
  remark: string | null
}

export interface Player {
  state(): PlayerState
  subscribe(onChange: () => void): () => void
  play(): void
  pause(): void
  seek(position: number): void
  setSpeed(speed: number): void
  cutPauses(isWanted: boolean): void
  close(): void
}

/** A page in the background gets no frames: playing stops there instead of jumping ahead. */
const LONGEST_FRAME_MS = 250
/** How finely the position is reported while it plays. */
const REPORT_MS = 100
const REMARK_MS = 4_000

/** Begins at the end: the last screen. */
export function createPlayer(
  recording: Pick<RecordingAnswer, 'events' | 'size'>,
  canvas: Canvas,
  nextFrame: NextFrame,
): Player {
  const moments = recording.events.map(([, , at]) => at)
  const remarkAt = readRemarks(recording.events)
  const listeners = new Set<() => void>()
  let times = playTimes(moments, IDLE_LIMIT_MS)
  /** More exact than the one that was reported. */
  let position = times.at(-1) ?? 0
  let state: PlayerState = {
    isPlaying: false,
    position,
    length: position,
    speed: 1,
    cutsPauses: true,
    remark: null,
  }
  let cancelFrame: () => void = () => undefined
  const drawing = createDrawing(recording, canvas, () => ({
    due: countDue(times, position),
    isPlaying: state.isPlaying,
  }))
  drawing.follow()

  function report(change: Partial<PlayerState>): void {
    state = { ...state, position, remark: remarkAt(times, position), ...change }
    for (const listener of [...listeners]) listener()
  }

  function move(to: number, change: Partial<PlayerState> = {}): void {
    const { length } = { ...state, ...change }
    position = Math.min(length, Math.max(0, to))
    const hasMoved = Math.floor(position / REPORT_MS) !== Math.floor(state.position / REPORT_MS)
    if (hasMoved || Object.keys(change).length > 0) report(change)
    drawing.follow()
  }

  function run(last: number | null): void {
    cancelFrame = nextFrame((now) => {
      const passed = last === null ? 0 : Math.min(LONGEST_FRAME_MS, Math.max(0, now - last))
      const next = position + passed * state.speed
      if (next >= state.length) return move(next, { isPlaying: false })
      move(next)
      run(now)
    })
  }

  return {
    state: () => state,
    subscribe(onChange) {
      listeners.add(onChange)
      return () => void listeners.delete(onChange)
    },
    play() {
      if (state.isPlaying) return
      move(position >= state.length ? 0 : position, { isPlaying: true })
      run(null)
    },
    pause() {
      cancelFrame()
      report({ isPlaying: false })
    },
    seek: (to) => move(to),
    setSpeed: (speed) => report({ speed }),
    cutPauses(isWanted) {
      const drawn = countDue(times, position)
      const isAtEnd = position >= state.length
      times = playTimes(moments, isWanted ? IDLE_LIMIT_MS : Number.POSITIVE_INFINITY)
      const length = times.at(-1) ?? 0
      move(isAtEnd ? length : (times[drawn - 1] ?? 0), { cutsPauses: isWanted, length })
    },
    close() {
      cancelFrame()
      listeners.clear()
      drawing.close()
    },
  }
}

/** The remark that belongs to a position; how it ended is said elsewhere. */
function readRemarks(events: RecordingAnswer['events']) {
  const remarks = events.flatMap(([kind, data], index) =>
    kind === 'm' && !data.startsWith(END_MARK) ? [{ index, data }] : [],
  )
  return (times: readonly number[], position: number): string | null => {
    const last = remarks.findLast(({ index }) => times[index]! <= position)
    return last && position - times[last.index]! < REMARK_MS ? last.data : null
  }
}
