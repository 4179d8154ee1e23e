// The demo agent's side of the terminal: lines scroll above, one input line with the state stays at the bottom.

export type DemoState = 'ready' | 'working' | 'question' | 'yes/no' | 'failed'

export interface Screen {
  print(text: string): void
  /** The bottom line: what the agent is doing and what is typed so far. */
  show(state: DemoState, typed: string): void
  /** Restores the terminal. */
  restore(): void
}

interface ScreenOptions {
  write(text: string): void
  columns(): number
  /** false: a pipe; then there is no bottom line and nothing to restore. */
  isTerminal: boolean
}

const ENABLE_PASTE = '\x1b[?2004h'
const DISABLE_PASTE = '\x1b[?2004l'
const CLEAR_BOTTOM = '\r\x1b[J'

export function createScreen(options: ScreenOptions): Screen {
  let bottom = ''
  if (options.isTerminal) options.write(ENABLE_PASTE)
  return {
    print(text) {
      const body = `${printable(text).trimEnd()}\n`
      options.write(options.isTerminal ? `${CLEAR_BOTTOM}${body}${bottom}` : body)
    },
    show(state, typed) {
      if (!options.isTerminal) return
      bottom = bottomLine(state, typed, options.columns())
      options.write(`${CLEAR_BOTTOM}${bottom}`)
    },
    restore() {
      if (options.isTerminal) options.write(`${CLEAR_BOTTOM}${DISABLE_PASTE}`)
    },
  }
}

function promptLabel(state: DemoState): string {
  return state === 'ready' ? 'demo>' : `demo (${state})>`
}

/** Never wider than the terminal: a wrapped line could not be cleared again. */
function bottomLine(state: DemoState, typed: string, columns: number): string {
  const lines = typed.split('\n')
  const more = lines.length > 1 ? ` [+${lines.length - 1} lines]` : ''
  const room = Math.max(0, columns - promptLabel(state).length - more.length - 3)
  const text = printable(lines[0]!)
  const shown = text.length > room ? `…${text.slice(text.length - room)}` : text
  return `${promptLabel(state)} ${shown}${more}`
}

/** Text from issues and commands must not control the terminal. */
export function printable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: removing control characters is the job here.
  return text.replace(/\r\n?/g, '\n').replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/g, '')
}
