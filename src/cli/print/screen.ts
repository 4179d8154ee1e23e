// Redraws lines in place, without flicker, and restores the terminal.
import { showHiddenOnScreen } from '../../core/text/show-hidden.ts'
import type { Io } from './io.ts'

export interface Screen {
  draw(lines: string[]): void
  leave(): void
}

/** The whole terminal, on its other screen: what was there before comes back. */
export interface FullScreen extends Screen {
  enter(): void
  /** The next drawing draws everything. */
  forget(): void
}

const OTHER_SCREEN = '\u001b[?1049h'
const FIRST_SCREEN = '\u001b[?1049l'
/** Pasted text is marked as such. */
const MARK_PASTES = '\u001b[?2004h'
const LEAVE_PASTES = '\u001b[?2004l'
/** Whatever is wider than it was measured stays in its own row. */
const LEAVE_WRAPPING = '\u001b[?7l'
const WRAP = '\u001b[?7h'
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

export function createFullScreen(io: Io): FullScreen {
  let before: string[] | null = null
  let isOpen = false
  return {
    enter() {
      isOpen = true
      before = null
      io.writeRaw(`${OTHER_SCREEN}${MARK_PASTES}${LEAVE_WRAPPING}${HIDE_CURSOR}`)
    },
    forget() {
      before = null
    },
    draw(lines) {
      const shown = lines.slice(0, io.height()).map(showHiddenOnScreen)
      const start = before === null ? `${HOME}${CLEAR_BELOW}` : ''
      // Cleared first: behind a line that fills its row, the cursor is still on its last character.
      const changed = Array.from({ length: Math.max(shown.length, before?.length ?? 0) }, (_, row) => {
        const line = shown[row] ?? ''
        return line === (before?.[row] ?? '') ? '' : `\u001b[${row + 1};1H${CLEAR_TO_END_OF_LINE}${line}`
      }).join('')
      before = shown
      if (start !== '' || changed !== '') io.writeRaw(start + changed)
    },
    leave() {
      if (!isOpen) return
      isOpen = false
      io.writeRaw(`${LEAVE_PASTES}${WRAP}${SHOW_CURSOR}${FIRST_SCREEN}`)
    },
  }
}
