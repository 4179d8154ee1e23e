// What the agent has drawn: text for people and programs, and a full picture for a terminal that joins later.
import type { IBufferCell, Terminal } from '@xterm/headless'
import { type LoadedTerminal, lastLines, loadTerminal } from '../../lib/terminal/load-terminal.ts'

export interface Screen {
  /** `drawn` is called when these bytes are on the screen; then listeners get them too. */
  write(data: string, drawn: () => void): void
  /** Resolves when everything written so far is drawn. Text, picture and modes are accurate afterwards. */
  flush(): Promise<void>
  resize(cols: number, rows: number): void
  /** The last lines with text, including history, wrapped lines joined. */
  text(lines: number): string
  /** The visible part, line by line, with background colour sequences: enough to see what is marked. */
  styledText(): string
  /** Escape sequences that draw exactly this screen on an empty terminal, modes included; with this many lines above it. */
  picture(history?: number): string
  wantsBracketedPaste(): boolean
  /** performance.now() of the last output. */
  lastDrawnAt(): number
  /** Bytes drawn so far: the offset at which the picture is accurate. */
  drawnBytes(): number
  /**
   * Everything drawn, in order, each with its offset. The returned function unsubscribes. `answers`: it goes to a terminal that
   * answers the application itself.
   */
  onDrawn(listener: DrawnListener, options?: { answers: boolean }): () => void
  /** What the terminal itself replies to the application, e.g. the cursor position. Only while no other terminal does. */
  onAnswer(listener: (data: string) => void): void
}

type DrawnListener = (data: string, at: number) => void

/** A line of 120 columns takes about 1.5 KB, once it is there. */
const SCROLLBACK_LINES = 5_000

/** The terminal emulator is loaded in the background: the agent need not wait for it. */
export function createScreen(cols: number, rows: number): Screen {
  const listeners = new Map<DrawnListener, { answers: boolean }>()
  let drawnBytes = 0
  let drawnAt = Number.NEGATIVE_INFINITY
  let loaded: LoadedTerminal | null = null
  const loading = loadTerminal({ cols, rows, scrollback: SCROLLBACK_LINES }).then((one) => {
    loaded = one
    return one.terminal
  })
  return {
    write(data, drawn) {
      const onDrawn = () => {
        drawnAt = performance.now()
        const at = drawnBytes
        drawnBytes += Buffer.byteLength(data)
        drawn()
        for (const listener of listeners.keys()) listener(data, at)
      }
      void loading.then((terminal) => terminal.write(data, onDrawn))
    },
    flush: () => loading.then((terminal) => new Promise((resolve) => terminal.write('', resolve))),
    resize: (newCols, newRows) => void loading.then((terminal) => terminal.resize(newCols, newRows)),
    text: (lines) => (loaded ? lastLines(loaded.terminal, lines).join('\n') : ''),
    styledText: () => (loaded ? visibleStyled(loaded.terminal) : ''),
    picture: (history = 0) => loaded?.serializer.serialize({ scrollback: history }) ?? '',
    wantsBracketedPaste: () => loaded?.terminal.modes.bracketedPasteMode ?? false,
    lastDrawnAt: () => drawnAt,
    drawnBytes: () => drawnBytes,
    onDrawn(listener, options = { answers: true }) {
      listeners.set(listener, options)
      return () => listeners.delete(listener)
    },
    onAnswer(listener) {
      const answer = (data: string) => {
        if (![...listeners.values()].some(({ answers }) => answers)) listener(data)
      }
      void loading.then((terminal) => terminal.onData(answer))
    },
  }
}

function visibleStyled(terminal: Terminal): string {
  const buffer = terminal.buffer.active
  return Array.from({ length: terminal.rows }, (_, row) => {
    const line = buffer.getLine(buffer.baseY + row)
    if (!line) return ''
    let text = ''
    let before = ''
    for (let column = 0; column < line.length; column++) {
      const cell = line.getCell(column)
      if (!cell || cell.getWidth() === 0) continue
      const style = styleOf(cell)
      if (style !== before) text += style
      before = style
      text += cell.getChars() || ' '
    }
    return `${text.trimEnd()}\u001b[0m`
  }).join('\n')
}

/** One sequence for all of it: what is faint or grey was not typed, and only its background shows a marked button. */
function styleOf(cell: IBufferCell): string {
  const faint = cell.isDim() ? '2;' : ''
  const inverse = cell.isInverse() ? '7;' : ''
  const text = cell.isFgDefault() ? '39' : colourOf('38', cell.isFgRGB(), cell.getFgColor())
  const background = cell.isBgDefault() ? '49' : colourOf('48', cell.isBgRGB(), cell.getBgColor())
  return `\u001b[0;${faint}${inverse}${text};${background}m`
}

function colourOf(what: '38' | '48', isRgb: boolean, colour: number): string {
  return isRgb ? `${what};2;${colour >> 16};${(colour >> 8) & 255};${colour & 255}` : `${what};5;${colour}`
}
