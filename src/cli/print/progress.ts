// Anything that takes longer than a second says what it is doing: one changing line on a terminal, plain lines elsewhere.
import type { Io } from './io.ts'
import { toOneLine, truncate } from './plain-text.ts'

export interface Progress {
  /** The current step. */
  step(line: string): void
  /** Removes the line, so that only the result remains. */
  end(): void
}

const QUIET_MS = 1_000
const ERASE_LINE = '\r\u001b[K'

export function createProgress(io: Io, options: { verbose?: boolean } = {}): Progress {
  if (options.verbose) return { step: (line) => io.note(toOneLine(line)), end: () => undefined }
  let current: string | null = null
  let shown = false
  const show = (line: string) => {
    current = line
    if (shown) draw(io, line)
  }
  const timer = setTimeout(() => {
    shown = true
    if (current !== null) draw(io, current)
  }, QUIET_MS)
  timer.unref()
  return {
    step: show,
    end() {
      clearTimeout(timer)
      if (shown && current !== null && io.noteIsTerminal) io.noteRaw(ERASE_LINE)
      shown = false
      current = null
    },
  }
}

function draw(io: Io, line: string): void {
  const safe = toOneLine(line)
  if (!io.noteIsTerminal) {
    io.note(`${safe} ...`)
    return
  }
  io.noteRaw(`${ERASE_LINE}${io.noteStyle.dim(truncate(`${safe} ...`, io.noteWidth() - 1))}`)
}

/** A change that takes its time. `interrupted`: what to say on Ctrl-C, such as "The move was interrupted". */
export async function withProgress<T>(
  io: Io,
  interrupted: string,
  work: (step: Progress['step']) => Promise<T>,
  options: { verbose?: boolean } = {},
): Promise<T> {
  const progress = createProgress(io, options)
  const done = noteInterruption(io, interrupted)
  try {
    return await work(progress.step)
  } finally {
    progress.end()
    done()
  }
}

/** Explains what happens to the unfinished work. Returns a function that disarms it when the work is done. */
export function noteInterruption(io: Io, what: string): () => void {
  return io.onInterrupt(() => {
    io.note()
    io.note(`${what}; the next ao command that changes something finishes it or rolls it back.`)
    io.note(`${io.noteStyle.cyan('hint:')} Do it now with: ao doctor --fix`)
  })
}
