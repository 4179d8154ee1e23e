// What the agent has drawn: text for people and programs, and a full picture for a terminal that joins later.
import type { SerializeAddon } from '@xterm/addon-serialize'
import type { IBufferCell, Terminal } from '@xterm/headless'

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
  /** Escape sequences that draw exactly this screen on an empty terminal, modes included. */
  picture(): string
  wantsBracketedPaste(): boolean
  /** performance.now() of the last output. */
  lastDrawnAt(): number
  /**
   * Everything drawn, in order. The returned function unsubscribes. `answers`: it goes to a terminal that answers the
   * application itself.
   */
  onDrawn(listener: (data: string) => void, options?: { answers: boolean }): () => void
  /** What the terminal itself replies to the application, e.g. the cursor position. Only while no other terminal does. */
  onAnswer(listener: (data: string) => void): void
}

const SCROLLBACK_LINES = 2_000

/** The terminal emulator is loaded in the background: the agent need not wait for it. */
export function createScreen(cols: number, rows: number): Screen {
  const listeners = new Map<(data: string) => void, { answers: boolean }>()
  let drawnAt = Number.NEGATIVE_INFINITY
  let loaded: LoadedTerminal | null = null
  const loading = loadTerminal(cols, rows).then((one) => {
    loaded = one
    return one.terminal
  })
  return {
    write(data, drawn) {
      const onDrawn = () => {
        drawnAt = performance.now()
        drawn()
        for (const listener of listeners.keys()) listener(data)
      }
      void loading.then((terminal) => terminal.write(data, onDrawn))
    },
    flush: () => loading.then((terminal) => new Promise((resolve) => terminal.write('', resolve))),
    resize: (newCols, newRows) => void loading.then((terminal) => terminal.resize(newCols, newRows)),
    text: (lines) => (loaded ? lastLines(loaded.terminal, lines) : ''),
    styledText: () => (loaded ? visibleStyled(loaded.terminal) : ''),
    picture: () => loaded?.serializer.serialize({ scrollback: 0 }) ?? '',
    wantsBracketedPaste: () => loaded?.terminal.modes.bracketedPasteMode ?? false,
    lastDrawnAt: () => drawnAt,
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

interface LoadedTerminal {
  terminal: Terminal
  serializer: SerializeAddon
}

async function loadTerminal(cols: number, rows: number): Promise<LoadedTerminal> {
  // Both are CommonJS: their exports are the default of the import.
  const [headless, addon] = await Promise.all([import('@xterm/headless'), import('@xterm/addon-serialize')])
  const { Terminal } = (headless as unknown as { default: typeof headless }).default
  const { SerializeAddon } = (addon as unknown as { default: typeof addon }).default
  const terminal = new Terminal({ cols, rows, scrollback: SCROLLBACK_LINES, allowProposedApi: true })
  const serializer = new SerializeAddon()
  // The addon is typed for the browser's terminal, of which the headless one is the part that it uses.
  terminal.loadAddon(serializer as unknown as Parameters<typeof terminal.loadAddon>[0])
  return { terminal, serializer }
}

function lastLines(terminal: Terminal, wanted: number): string {
  const buffer = terminal.buffer.active
  const lines: string[] = []
  let wrapped = ''
  for (let row = buffer.length - 1; row >= 0 && lines.length < wanted; row--) {
    const line = buffer.getLine(row)
    if (!line) continue
    const text = line.translateToString(!wrapped) + wrapped
    wrapped = line.isWrapped ? text : ''
    if (line.isWrapped) continue
    if (lines.length > 0 || text.trimEnd() !== '') lines.push(text.trimEnd())
  }
  return lines.reverse().join('\n')
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

/** Not the colour itself, but one sequence for each. */
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
