// Redraws lines in place, without flicker, and restores the terminal.
import { showHiddenOnScreen } from '../../core/text/show-hidden.ts'
import type { Io } from '../io.ts'

export interface Screen {
  draw(lines: string[]): void
  leave(): void
}

const HIDE_CURSOR = '\u001b[?25l'
const SHOW_CURSOR = '\u001b[?25h'
const HOME = '\u001b[H'
const CLEAR_TO_END_OF_LINE = '\u001b[K'
const CLEAR_BELOW = '\u001b[J'

export function createScreen(io: Io): Screen {
  let before: string | null = null
  return {
    draw(lines) {
      // Columns too: a narrower terminal has wrapped the existing lines.
      const frame = `${io.width()}x${io.height()}\n${lines.join('\n')}`
      if (frame === before) return
      // The earlier content of the screen goes into the scrollback instead of being overwritten.
      const start = before === null ? `${HIDE_CURSOR}${'\n'.repeat(io.height())}` : ''
      before = frame
      const body = lines.map((line) => `${showHiddenOnScreen(line)}${CLEAR_TO_END_OF_LINE}`).join('\n')
      io.writeRaw(`${start}${HOME}${body}${CLEAR_BELOW}`)
    },
    leave() {
      if (before === null) return
      before = null
      io.writeRaw(`\n${SHOW_CURSOR}`)
    },
  }
}
