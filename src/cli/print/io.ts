// Everything a command knows of the outside: streams, colours, width, environment, time. Tests substitute their own.

import { AoError } from '../../contract/errors.ts'
import { showHiddenOnScreen } from '../../core/text/show-hidden.ts'
import { type Clock, systemClock } from '../../lib/clock.ts'
import { ownHome } from '../../lib/process/own-home.ts'
import { createStyle, type Style, wantsColour } from './style.ts'

/**
 * Everything but `writeRaw` and `noteRaw` makes control characters visible: other people's text cannot control the
 * terminal.
 */
export interface Io {
  /** One line to stdout: the result. */
  print(line?: string): void
  /** Lines to stdout, with one write. */
  printLines(lines: readonly string[]): void
  /** One line to stderr: progress and problems. */
  note(line?: string): void
  /** Text to stdout unchanged, including line breaks. */
  write(text: string): void
  /** The same to stderr. */
  noteText(text: string): void
  /** Exactly this to stdout: ao's own control sequences, or bytes that were requested. */
  writeRaw(text: string | Uint8Array): void
  /** Exactly this to stderr: ao's own control sequences. */
  noteRaw(text: string): void
  json(value: unknown): void
  /** What `json` writes. */
  jsonText(value: unknown): string
  /** For stdout. */
  readonly style: Style
  readonly noteStyle: Style
  /** Columns of the terminal; Infinity when stdout is not a terminal, so that nothing is cut for programs. */
  width(): number
  height(): number
  noteWidth(): number
  readonly isTerminal: boolean
  readonly noteIsTerminal: boolean
  readonly stdin: NodeJS.ReadStream
  env: NodeJS.ProcessEnv
  /** What --config names. */
  configPath: string | undefined
  home: string
  cwd: string
  clock: Clock
  /** Aborted when stdout's reader is gone. */
  stopped: AbortSignal
  /**
   * Runs `restore` when the user presses Ctrl-C or the process is asked to end, which then happens immediately. Returns a
   * function that disarms it.
   */
  onInterrupt(restore: () => void): () => void
  onResize(redraw: () => void): void
  /** Something to do after the command, whatever its result. */
  atEnd(task: () => Promise<void>): void
  /** Does it, and waits until all output is written. Throws when some of it could not be. */
  end(): Promise<void>
}

/** A stream is created on first use: each costs a millisecond, and most commands need one of the three. */
export function createIo(process: NodeJS.Process, options: { configPath?: string | undefined } = {}): Io {
  const { env } = process
  const stopped = new AbortController()
  const out = once(() => openWriter(process.stdout, () => stopped.abort()))
  const err = once(() => openWriter(process.stderr, () => undefined))
  const style = once(() => createStyle(wantsColour(process.stdout, env)))
  const noteStyle = once(() => createStyle(wantsColour(process.stderr, env)))
  const tasks: Array<() => Promise<void>> = []
  const write = (text: string) => out.get().write(showHiddenOnScreen(text))
  const noteText = (text: string) => err.get().write(showHiddenOnScreen(text))
  return {
    print: (line = '') => write(`${line}\n`),
    printLines: (lines) => write(lines.map((line) => `${line}\n`).join('')),
    note: (line = '') => noteText(`${line}\n`),
    write,
    noteText,
    writeRaw: (text) => out.get().write(text),
    noteRaw: (text) => err.get().write(text),
    json: (value) => write(jsonText(value, process.stdout.isTTY)),
    jsonText: (value) => jsonText(value, process.stdout.isTTY),
    get style() {
      return style.get()
    },
    get noteStyle() {
      return noteStyle.get()
    },
    width: () => terminalWidth(process.stdout, env),
    height: () => process.stdout.rows || 24,
    noteWidth: () => process.stderr.columns ?? 80,
    get isTerminal() {
      return process.stdout.isTTY === true
    },
    get noteIsTerminal() {
      return process.stderr.isTTY === true
    },
    get stdin() {
      return process.stdin
    },
    env,
    configPath: options.configPath,
    home: ownHome(env),
    cwd: process.cwd(),
    clock: systemClock,
    stopped: stopped.signal,
    onInterrupt: (restore) => onInterrupt(process, restore),
    onResize: (redraw) => void process.stdout.on('resize', redraw),
    atEnd: (task) => void tasks.push(task),
    async end() {
      for (const task of tasks.splice(0)) await task()
      await Promise.all([out.made()?.flush(), err.made()?.flush()])
      const failure = out.made()?.failure() ?? err.made()?.failure()
      if (failure)
        throw new AoError('OUTPUT_LOST', `The output could not be written: ${failure.message}`, { cause: failure })
    },
  }
}

/** Indented for a person. */
export function jsonText(value: unknown, isTerminal: boolean): string {
  return `${JSON.stringify(value, null, isTerminal ? 2 : undefined)}\n`
}

function once<T>(make: () => T): { get(): T; made(): T | undefined } {
  let value: T | undefined
  return {
    get() {
      value ??= make()
      return value
    },
    made: () => value,
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

interface Writer {
  write(text: string | Uint8Array): void
  flush(): Promise<void>
  /** What was written is not all there: a full disk. null: it is, or nobody wants it. */
  failure(): Error | null
}

/** `ao … | head` closes the pipe, a disk is full: the command runs to its end, and nothing more is written. */
function openWriter(stream: NodeJS.WriteStream, onGone: () => void): Writer {
  let gone = false
  let failure: Error | null = null
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE' && error.code !== 'EIO') failure ??= error
    gone = true
    onGone()
  })
  return {
    failure: () => failure,
    write(text) {
      if (!gone) stream.write(text)
    },
    flush: () => new Promise((resolve) => (gone ? resolve() : stream.write('', () => resolve()))),
  }
}

function terminalWidth(stream: NodeJS.WriteStream, env: NodeJS.ProcessEnv): number {
  if (stream.isTTY && stream.columns > 0) return stream.columns
  const wanted = Number(env.COLUMNS)
  if (Number.isInteger(wanted) && wanted > 0) return wanted
  // A terminal without a size, as of some serial lines and of `script` in a pipe.
  return stream.isTTY ? 80 : Number.POSITIVE_INFINITY
}
