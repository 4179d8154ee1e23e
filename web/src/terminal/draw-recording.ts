// Draws a recording up to a moment, forwards and backwards. The moment may move while it draws.
import type { RecordingAnswer } from '../../../src/contract/dashboard/answers.ts'
import type { TerminalSize } from '../../../src/contract/terminal-frames.ts'
import { parseSize } from '../../../src/core/recording/cast.ts'

/** Where it is drawn. */
export interface Canvas {
  /** Resolves when it is drawn. */
  write(text: string): Promise<void>
  resize(size: TerminalSize): void
  /** It is empty again. */
  clear(size: TerminalSize): void
}

export interface Goal {
  /** How many events are to be drawn. */
  due: number
  /** It plays, so what is drawn on the way is shown. */
  isPlaying: boolean
}

export interface Drawing {
  /** The goal was moved. */
  follow(): void
  close(): void
}

type Recording = Pick<RecordingAnswer, 'events' | 'size'>

/** Characters that are drawn at once. */
const MOST_AT_ONCE = 64 * 1024
const HIDE_CURSOR = '\u001b[?25l'
/** Between these the screen is not painted, so that drawing it again does not flicker. */
const HOLD = '\u001b[?2026h'
const SHOW = '\u001b[?2026l'
// biome-ignore lint/suspicious/noControlCharactersInRegex: a sequence of terminals
const HOLDS = /\u001b\[\?2026[hl]/g

export function createDrawing({ events, size }: Recording, canvas: Canvas, goal: () => Goal): Drawing {
  let drawn = 0
  let isDrawing = false
  let isClosed = false
  const isBehind = () => !isClosed && goal().due !== drawn

  async function drawToGoal(): Promise<void> {
    let isHeld = false
    while (isBehind()) {
      const { due, isPlaying } = goal()
      isHeld ||= due < drawn || !isPlaying
      if (due < drawn) {
        canvas.clear(size)
        drawn = 0
      }
      const taken = takeSome(events, drawn, due)
      drawn += taken.count
      await canvas.write(isHeld ? HOLD + taken.text.replace(HOLDS, '') : taken.text)
      if (taken.size && !isClosed) canvas.resize(taken.size)
    }
    const ending = (isHeld ? SHOW : '') + (drawn === events.length ? HIDE_CURSOR : '')
    if (ending !== '' && !isClosed) await canvas.write(ending)
  }

  async function follow(): Promise<void> {
    if (isDrawing) return
    isDrawing = true
    while (isBehind()) await drawToGoal()
    isDrawing = false
  }

  return {
    follow: () => void follow(),
    close() {
      isClosed = true
    },
  }
}

/** Output that can be drawn at once, up to the next change of the size. */
function takeSome(events: Recording['events'], from: number, to: number) {
  let text = ''
  let index = from
  while (index < to && text.length < MOST_AT_ONCE) {
    const [kind, data] = events[index++]!
    if (kind === 'o') text += data
    const size = kind === 'r' ? parseSize(data) : null
    if (size) return { text, size, count: index - from }
  }
  return { text, size: null, count: index - from }
}
