// An Io that keeps what a command prints.
import { Readable } from 'node:stream'
import { type Io, jsonText } from '../../src/cli/print/io.ts'
import { createStyle } from '../../src/cli/print/style.ts'
import { showHiddenOnScreen } from '../../src/core/text/show-hidden.ts'

export interface FakeIo {
  io: Io
  stdout(): string
  stderr(): string
}

export function createFakeIo(overrides: Partial<Io> & { colours?: boolean; input?: string | Buffer } = {}): FakeIo {
  const { colours = false, input, ...given } = overrides
  let stdout = ''
  let stderr = ''
  const tasks: Array<() => Promise<void>> = []
  const writeRaw = (text: string | Uint8Array) => {
    stdout += typeof text === 'string' ? text : Buffer.from(text).toString('utf8')
  }
  const noteRaw = (text: string) => {
    stderr += text
  }
  const write = (text: string) => writeRaw(showHiddenOnScreen(text))
  const noteText = (text: string) => noteRaw(showHiddenOnScreen(text))
  const stdin = Readable.from(input === undefined ? [] : [Buffer.from(input)]) as unknown as NodeJS.ReadStream
  const io: Io = {
    print: (line = '') => write(`${line}\n`),
    printLines: (lines) => write(lines.map((line) => `${line}\n`).join('')),
    note: (line = '') => noteText(`${line}\n`),
    write,
    noteText,
    writeRaw,
    noteRaw,
    json: (value) => write(jsonText(value, false)),
    jsonText: (value) => jsonText(value, false),
    style: createStyle(colours),
    noteStyle: createStyle(colours),
    width: () => 80,
    height: () => 24,
    noteWidth: () => 80,
    isTerminal: false,
    noteIsTerminal: false,
    stdin,
    env: {},
    configPath: undefined,
    home: '/home/someone',
    cwd: '/home/someone',
    clock: { now: () => new Date('2026-03-04T12:00:00.000Z') },
    stopped: new AbortController().signal,
    onInterrupt: () => () => undefined,
    onResize: () => undefined,
    atEnd: (task) => {
      tasks.push(task)
    },
    end: async () => {
      for (const task of tasks.splice(0)) await task()
    },
    ...given,
  }
  return { io, stdout: () => stdout, stderr: () => stderr }
}
