// The input line below scrolling text. Without a terminal, or read-only, there is none.
import { clearLine, createInterface, cursorTo, type Interface } from 'node:readline'
import type { Io } from '../../print/io.ts'
import { paintLine } from '../lines.ts'

export interface TypedLines {
  /** Above the input line, which stays unchanged. */
  print(lines: readonly string[]): void
  close(): void
}

export interface TypedLinesOptions {
  readOnly: boolean
  submit(text: string): void
  leave(): void
}

export function openTypedLines(io: Io, options: TypedLinesOptions): TypedLines {
  const write = (lines: readonly string[]) => io.printLines(lines.map((line) => paintLine(line, io.style)))
  if (io.stdin.isTTY !== true) return { print: write, close: io.onInterrupt(options.leave) }
  return options.readOnly ? openWatch(io, options, write) : openInput(io, options, write)
}

const CTRL_C = 0x03
const CTRL_D = 0x04

/** Keys are ignored; Ctrl-C, Ctrl-D and q leave. */
function openWatch(io: Io, { leave }: TypedLinesOptions, print: TypedLines['print']): TypedLines {
  const press = (keys: Buffer) => {
    if (keys.includes(CTRL_C) || keys.includes(CTRL_D) || keys.toString() === 'q') leave()
  }
  io.stdin.setRawMode(true)
  io.stdin.on('data', press)
  const end = () => {
    io.stdin.off('data', press)
    io.stdin.setRawMode(false)
    io.stdin.pause()
  }
  return { print, close: end }
}

/** Lines of one paste arrive within a moment and form one message. */
const PASTE_MS = 30

function openInput(io: Io, { submit, leave }: TypedLinesOptions, write: TypedLines['print']): TypedLines {
  const input: Interface = createInterface({ input: io.stdin, output: process.stdout, prompt: '› ', terminal: true })
  let pasted: string[] = []
  let timer: NodeJS.Timeout | undefined
  input.on('line', (line) => {
    pasted.push(line)
    clearTimeout(timer)
    timer = setTimeout(() => {
      const text = pasted.join('\n')
      pasted = []
      if (text.trim() !== '') submit(text)
      input.prompt()
    }, PASTE_MS)
  })
  input.on('SIGINT', leave)
  input.on('close', leave)
  input.prompt()
  return {
    print(lines) {
      if (lines.length === 0) return
      cursorTo(process.stdout, 0)
      clearLine(process.stdout, 0)
      write(lines)
      input.prompt(true)
    },
    close() {
      clearTimeout(timer)
      input.off('close', leave)
      input.close()
      cursorTo(process.stdout, 0)
      clearLine(process.stdout, 0)
    },
  }
}
