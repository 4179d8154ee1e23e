// The text of a recorded terminal: drawn by a terminal without a screen and read from its cells, so that no sequence of the
// recording is left in it.
import type { Terminal } from '@xterm/headless'
import { END_MARK, parseSize } from '../../core/recording/cast.ts'
import { lastLines, loadTerminal } from '../../lib/terminal/load-terminal.ts'
import { joinParts, type ReadRecording } from './read-recording.ts'

/** A recording has at most sixteen megabytes; a line of it hardly ever less than two hundred bytes, with its sequences. */
const MOST_LINES = 100_000

export async function renderText(recording: ReadRecording, lines: number): Promise<string[]> {
  const first = recording.parts[0]?.header
  if (!first) return []
  const { terminal } = await loadTerminal({ cols: first.cols, rows: first.rows, scrollback: MOST_LINES })
  try {
    await draw(terminal, recording)
    // Full-screen programs draw on a second screen; what was there before them is on the first.
    const screen = lastLines(terminal, lines)
    if (terminal.buffer.active.type === 'normal') return screen
    await write(terminal, '\u001b[?1049l')
    return [...lastLines(terminal, lines), ...screen].slice(-lines)
  } finally {
    terminal.dispose()
  }
}

async function draw(terminal: Terminal, recording: ReadRecording): Promise<void> {
  const { parts } = recording
  for (const [index, part] of parts.entries()) {
    const isNextLaunch = index > 0 && parts[index - 1]?.header.launch !== part.header.launch
    if (isNextLaunch) await write(terminal, scrollAway(terminal, 'started again'))
    for (const { kind, data } of joinParts({ ...recording, parts: [part] })) {
      if (kind === 'o') await write(terminal, data)
      if (kind === 'm')
        await write(terminal, data.startsWith(END_MARK) ? below(terminal, data) : scrollAway(terminal, data))
      const size = kind === 'r' ? parseSize(data) : null
      if (size) terminal.resize(size.cols, size.rows)
    }
    const next = parts[index + 1]?.header
    if (next) terminal.resize(next.cols, next.rows)
  }
}

/** A line of ours below what was drawn, in a terminal without any modes. */
function below(terminal: Terminal, line: string): string {
  const used = usedRows(terminal)
  return `\u001b[?1049l\u001b[!p\u001b[0m\u001b[${Math.max(1, used)};1H${used === 0 ? '' : '\r\n'}[${line}]`
}

/** The same; everything so far is above the screen then, and what follows begins with an empty one. */
function scrollAway(terminal: Terminal, line: string): string {
  const ofLine = Math.ceil((line.length + 2) / terminal.cols)
  const used = Math.min(usedRows(terminal) + ofLine, terminal.rows)
  return `${below(terminal, line)}\u001b[${terminal.rows};1H${'\n'.repeat(used)}\u001b[H`
}

function usedRows({ rows, buffer: { active } }: Terminal): number {
  let used = rows
  while (used > 0 && !active.getLine(active.baseY + used - 1)?.translateToString(true)) used -= 1
  return used
}

function write(terminal: Terminal, data: string): Promise<void> {
  return new Promise((resolve) => terminal.write(data, resolve))
}
