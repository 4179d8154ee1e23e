// A terminal without a screen: what a program drew, as it would look.
import type { SerializeAddon } from '@xterm/addon-serialize'
import type { Terminal } from '@xterm/headless'
import { activateGraphemes } from '../../core/text/mark-width.ts'

export interface LoadedTerminal {
  terminal: Terminal
  serializer: SerializeAddon
}

export interface TerminalShape {
  cols: number
  rows: number
  /** Lines above the screen. */
  scrollback: number
}

export async function loadTerminal(shape: TerminalShape): Promise<LoadedTerminal> {
  // All are CommonJS: their exports are the default of the import.
  const [headless, serialize, graphemes] = await Promise.all([
    import('@xterm/headless'),
    import('@xterm/addon-serialize'),
    import('@xterm/addon-unicode-graphemes'),
  ])
  const { Terminal } = (headless as unknown as { default: typeof headless }).default
  const { SerializeAddon } = (serialize as unknown as { default: typeof serialize }).default
  const { UnicodeGraphemesAddon } = (graphemes as unknown as { default: typeof graphemes }).default
  const terminal = new Terminal({ ...shape, allowProposedApi: true })
  const serializer = new SerializeAddon()
  // The addons are typed for the browser's terminal, of which the headless one is the part that they use. Programs count joined
  // emoji as one wide letter: counted apart, a box around them wraps, and what is drawn over it later stands in the wrong row.
  terminal.loadAddon(serializer as unknown as Parameters<typeof terminal.loadAddon>[0])
  activateGraphemes(terminal.unicode, new UnicodeGraphemesAddon())
  return { terminal, serializer }
}

/** The last lines with text, including history, wrapped lines joined. */
export function lastLines(terminal: Terminal, wanted: number): string[] {
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
  return lines.reverse()
}
