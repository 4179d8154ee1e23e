// Everything a command knows of the outside: streams, colours, width, environment, time. Tests put their own in its place.
import { homedir } from 'node:os'
import type { Clock } from '../lib/clock.ts'
import { systemClock } from '../lib/clock.ts'
import { createStyle, type Style, wantsColour } from './print/style.ts'

export interface Io {
  /** One line to stdout: the result. */
  print(line?: string): void
  /** One line to stderr: what is going on, what went wrong. */
  note(line?: string): void
  /** Raw text to stdout. */
  write(text: string): void
  /** Raw text to stderr. */
  noteRaw(text: string): void
  json(value: unknown): void
  /** For stdout. */
  style: Style
  noteStyle: Style
  /** Columns of the terminal; Infinity when stdout is none, so that nothing is cut for programs. */
  width(): number
  height(): number
  noteWidth(): number
  isTerminal: boolean
  noteIsTerminal: boolean
  stdin: NodeJS.ReadStream
  env: NodeJS.ProcessEnv
  /** What --config names. */
  configPath: string | undefined
  home: string
  cwd: string
  clock: Clock
  /** Aborted when stdout's reader has gone. */
  stopped: AbortSignal
  /** Runs `restore` when the user presses Ctrl-C or the process is told to end, which then happens at once.
   *  Returns how to take this back. */
  onInterrupt(restore: () => void): () => void
  onResize(redraw: () => void): void
  /** Something to do after the command, whatever became of it. */
  atEnd(task: () => Promise<void>): void
  /** Does it. */
  end(): Promise<void>
}

export function createIo(process: NodeJS.Process): Io {
  const { stdout, stderr, env } = process
  const stopped = new AbortController()
  const write = createQuietWriter(stdout, () => stopped.abort())
  const tasks: Array<() => Promise<void>> = []
  const note = createQuietWriter(stderr, () => undefined)
  return {
    print: (line = '') => write(`${line}\n`),
    note: (line = '') => note(`${line}\n`),
    write,
    noteRaw: note,
    json: (value) => write(`${JSON.stringify(value, null, stdout.isTTY ? 2 : undefined)}\n`),
    style: createStyle(wantsColour(stdout, env)),
    noteStyle: createStyle(wantsColour(stderr, env)),
    width: () => terminalWidth(stdout, env),
    height: () => stdout.rows ?? 24,
    noteWidth: () => stderr.columns ?? 80,
    isTerminal: stdout.isTTY === true,
    noteIsTerminal: stderr.isTTY === true,
    stdin: process.stdin,
    env,
    configPath: undefined,
    home: env.HOME || homedir(),
    cwd: process.cwd(),
    clock: systemClock,
    stopped: stopped.signal,
    onInterrupt: (restore) => onInterrupt(process, restore),
    onResize: (redraw) => void stdout.on('resize', redraw),
    atEnd: (task) => void tasks.push(task),
    end: async () => {
      for (const task of tasks.splice(0)) await task()
    },
  }
}

const SIGNAL_NUMBERS = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const

function onInterrupt(process: NodeJS.Process, restore: () => void): () => void {
  const end = (signal: NodeJS.Signals) => {
    restore()
    process.exit(128 + SIGNAL_NUMBERS[signal as keyof typeof SIGNAL_NUMBERS])
  }
  for (const signal of Object.keys(SIGNAL_NUMBERS)) process.once(signal, end)
  return () => {
    for (const signal of Object.keys(SIGNAL_NUMBERS)) process.off(signal, end)
  }
}

/** `ao … | head` closes the pipe: what is running goes on to its end, and nothing more is written. */
function createQuietWriter(stream: NodeJS.WriteStream, onGone: () => void): (text: string) => void {
  let gone = false
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE' && error.code !== 'EIO') throw error
    gone = true
    onGone()
  })
  return (text) => {
    if (!gone) stream.write(text)
  }
}

function terminalWidth(stream: NodeJS.WriteStream, env: NodeJS.ProcessEnv): number {
  if (stream.isTTY && stream.columns > 0) return stream.columns
  const wanted = Number(env.COLUMNS)
  return Number.isInteger(wanted) && wanted > 0 ? wanted : Number.POSITIVE_INFINITY
}
