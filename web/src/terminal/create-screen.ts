// The rendered terminal: xterm with our colours, sized by the server, with a smaller font where it does not fit.
import { FitAddon } from '@xterm/addon-fit'
import { SearchAddon } from '@xterm/addon-search'
import { UnicodeGraphemesAddon } from '@xterm/addon-unicode-graphemes'
import { Terminal } from '@xterm/xterm'
import { activateGraphemes } from '../../../src/core/text/mark-width.ts'
import '@xterm/xterm/css/xterm.css'
import { MAX_TERMINAL_SIZE, MIN_TERMINAL_SIZE, type TerminalSize } from '../../../src/contract/terminal-frames.ts'
import { linkFiles } from './file-links.ts'

export interface Screen {
  terminal: Terminal
  search: SearchAddon
  /** What fits into the area with the chosen or the usual size of letters. */
  fitting(): TerminalSize
  /** Exactly this many columns and rows, with the chosen size of letters, or one that fits. */
  draw(size: TerminalSize): void
  /** As they are drawn. */
  letters(): number
  /** null: as large as fits. What follows is drawn with it. */
  setLetters(size: number | null): void
  dispose(): void
}

const LETTERS = 13
const SMALLEST_LETTERS = 7
/** Rows that do not fit are scrolled to: reading matters more than seeing the whole screen. */
const SMALLEST_FOR_ROWS = 11

interface Options {
  letters: number | null
  /** Paths below it are links. null: none are. */
  workspacePath: string | null
}

export function createScreen(container: HTMLElement, { letters: chosen, workspacePath }: Options): Screen {
  let letters = chosen
  const terminal = new Terminal({
    fontFamily: 'ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace',
    fontSize: LETTERS,
    lineHeight: 1.15,
    scrollback: 10_000,
    minimumContrastRatio: 4.5,
    disableStdin: true,
    cursorInactiveStyle: 'outline',
    allowProposedApi: true,
    theme: THEME,
  })
  const fit = new FitAddon()
  const search = new SearchAddon()
  terminal.loadAddon(fit)
  terminal.loadAddon(search)
  // As wide as in the terminal that the program draws on.
  activateGraphemes(terminal.unicode, new UnicodeGraphemesAddon())
  terminal.open(container)
  if (workspacePath !== null) linkFiles(terminal, workspacePath)
  return {
    terminal,
    search,
    letters: () => terminal.options.fontSize ?? LETTERS,
    setLetters(size) {
      letters = size
    },
    fitting() {
      terminal.options.fontSize = letters ?? LETTERS
      return within(fit.proposeDimensions() ?? { cols: 80, rows: 24 })
    },
    draw({ cols, rows }) {
      terminal.options.fontSize = LETTERS
      const room = fit.proposeDimensions() ?? { cols, rows }
      const scale = Math.min(1, room.cols / cols, Math.max(room.rows / rows, SMALLEST_FOR_ROWS / LETTERS))
      terminal.options.fontSize = letters ?? Math.max(SMALLEST_LETTERS, Math.floor(LETTERS * scale * 2) / 2)
      terminal.resize(cols, rows)
    },
    dispose: () => terminal.dispose(),
  }
}

function within({ cols, rows }: TerminalSize): TerminalSize {
  const clamp = (value: number, key: keyof TerminalSize) =>
    Math.min(MAX_TERMINAL_SIZE[key], Math.max(MIN_TERMINAL_SIZE[key], Math.floor(value) || 1))
  return { cols: clamp(cols, 'cols'), rows: clamp(rows, 'rows') }
}

/** Dark in both themes: the programs inside choose their colours for a dark background. */
const THEME = {
  background: '#17171b',
  foreground: '#efefed',
  cursor: '#93acff',
  selectionBackground: '#3d4f8a',
  black: '#2b2b30',
  red: '#ff8f86',
  green: '#7fdc9d',
  yellow: '#f2cc7b',
  blue: '#93acff',
  magenta: '#d4adfb',
  cyan: '#7fd1e6',
  white: '#d5d5d1',
  brightBlack: '#85858f',
  brightRed: '#ffb1aa',
  brightGreen: '#a4ecbb',
  brightYellow: '#fadf9f',
  brightBlue: '#b5c6ff',
  brightMagenta: '#e3c9fd',
  brightCyan: '#a8e2f0',
  brightWhite: '#ffffff',
}
