// Lines that a person types. Several that come at once were not typed: they are a paste, of which no line may act as a word of the board.
import { createInterface, type Interface } from 'node:readline'
import type { Io } from '../../print/io.ts'

export interface LineInputOptions {
  onLine(line: string): void
  /** How many lines came at once; none of them counts, nor does what stands behind them. */
  onPaste(lines: number): void
  /** The terminal is gone, or the person left. */
  onEnd(): void
}

/** Nobody types two lines in this time. */
const AT_ONCE_MS = 50
/** A paste whose end never comes is over by then. */
const UNENDED_MS = 500
/** The terminal says where a paste begins and ends. */
const BRACKETS_ON = '\x1b[?2004h'
const BRACKETS_OFF = '\x1b[?2004l'

export function openLineInput(
  { stdin, env }: Pick<Io, 'stdin' | 'env'>,
  { onLine, onPaste, onEnd }: LineInputOptions,
  output: NodeJS.WritableStream = process.stdout,
): Pick<Interface, 'prompt' | 'close'> {
  const isSimple = env.TERM === 'dumb'
  const lines: string[] = []
  let isPasting = false
  let timer: NodeJS.Timeout | undefined
  const onKey = (_text: string | undefined, key: { name?: string } | undefined) => {
    if (key?.name === 'paste-start') isPasting = true
    if (key?.name !== 'paste-end') return
    isPasting = false
    if (lines.length > 0) wait()
  }
  // Before readline's own, which makes lines of keys.
  stdin.prependListener('keypress', onKey)
  const input = createInterface({ input: stdin, output, terminal: !isSimple, prompt: '> ' })
  let wasPasted = false
  input.on('line', (line) => {
    lines.push(line)
    wasPasted ||= isPasting
    wait()
  })
  function wait(): void {
    clearTimeout(timer)
    timer = setTimeout(flush, isPasting ? UNENDED_MS : AT_ONCE_MS)
  }
  function flush(): void {
    const taken = lines.splice(0)
    const isOne = taken.length === 1 && !wasPasted
    wasPasted = false
    isPasting = false
    if (isOne) onLine(taken[0]!)
    else {
      // The rest of a paste stands in the input line.
      if (!isSimple) input.write(null, { ctrl: true, name: 'u' })
      onPaste(taken.length)
    }
  }
  input.on('SIGINT', onEnd)
  input.on('close', () => {
    clearTimeout(timer)
    stdin.off('keypress', onKey)
    if (!isSimple) output.write(BRACKETS_OFF)
    onEnd()
  })
  if (!isSimple) output.write(BRACKETS_ON)
  return input
}
