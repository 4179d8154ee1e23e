// Programs that outlive whoever starts them: hosts of agents, lines to places, the recorder of terminals.
import type { ChildProcess, StdioOptions } from 'node:child_process'
import { closeSync, writeSync } from 'node:fs'
import type { Readable, Writable } from 'node:stream'
import { readSince } from '../plain-file.ts'
import { startProgram } from '../start-program.ts'

/** Flags of node for a program that does little: a small heap keeps many of them cheap. */
export function smallNode(megabytes = 96): string[] {
  return [`--max-old-space-size=${megabytes}`, '--max-semi-space-size=1', '--v8-pool-size=1']
}

export interface Detached {
  /** Flags of node, the program and its arguments. */
  argv: readonly string[]
  env: NodeJS.ProcessEnv
  /** File descriptor for what it prints. */
  log: number
}

/** What a shell starts in the background reads nothing unless that is stated explicitly. */
const WITH_INPUT = '"$@" <&4 4<&- &'

/**
 * The shell exits immediately, so the program is no longer our descendant: ending us, or an agent around us, does not end it. It
 * has a pipe to us as file descriptor 3.
 */
export function startDetached({ argv, env, log }: Detached): { child: ChildProcess; pipe: Readable } {
  const { child, pipe } = startInBackground('"$@" &', ['ignore', log, log, 'pipe'], argv, env)
  return { child, pipe }
}

/** The same, with a pipe from us as its stdin. (That of the shell would be closed when the shell exits.) */
export function startDetachedReader({ argv, env, log }: Detached): { pipe: Readable; input: Writable } {
  const { child, pipe } = startInBackground(WITH_INPUT, ['ignore', log, log, 'pipe', 'pipe'], argv, env)
  const input = child.stdio[4] as Writable
  // A program that ends early says why on its pipe, or in its log.
  input.on('error', () => undefined)
  return { pipe, input }
}

function startInBackground(
  script: string,
  stdio: StdioOptions,
  argv: readonly string[],
  env: NodeJS.ProcessEnv,
): { child: ChildProcess; pipe: Readable } {
  const args = ['-c', script, 'sh', process.execPath, ...argv]
  const child = startProgram('/bin/sh', args, { cwd: '/', env, stdio, detached: true })
  // A shell that cannot be started closes the pipe, which is what we wait for.
  child.on('error', () => undefined)
  return { child, pipe: child.stdio[3] as Readable }
}

const REPORT_FD = 3

/** From inside such a program, once: one line of JSON for whoever started it. */
export function writeReport(value: unknown): void {
  try {
    writeSync(REPORT_FD, `${JSON.stringify(value)}\n`)
    closeSync(REPORT_FD)
  } catch {
    // The starter is gone. The files of the program inform the next one.
  }
}

const NAMES_FOR_HOST = /^(PATH|HOME|USER|LOGNAME|SHELL|LANG|LC_[A-Z]+|TMPDIR|XDG_RUNTIME_DIR|NODE_COMPILE_CACHE)$/

/** Enough to work; none of the user's secrets, no marker of an outer session. */
export function hostEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => NAMES_FOR_HOST.test(name)))
}

/** What it reports on its pipe, one line of JSON; null: it ended without a report, or none came in time. */
export async function readReport<T>(pipe: Readable | null, timeoutMs: number): Promise<T | null> {
  const line = pipe && (await firstLine(pipe, timeoutMs))
  return line ? (JSON.parse(line) as T) : null
}

const SHOWN_LOG = 4_000

/** The report of a host that gave none: the end of what it printed. */
export function silentHost(log: { file: string; from: number }): { ok: false; message: string; code: null } {
  const output = readSince(log.file, log.from, SHOWN_LOG).trim().split('\n').slice(-5).join(' / ')
  return { ok: false, message: `its host did not start${output ? `: ${output}` : ''}`, code: null }
}

// What a program that was just started reports on a pipe.

/** null: the stream ended, or nothing came in time. */
function firstLine(stream: Readable, timeoutMs: number): Promise<string | null> {
  return new Promise((resolve) => {
    let text = ''
    const finish = (line: string | null) => {
      clearTimeout(timer)
      stream.destroy()
      resolve(line)
    }
    const timer = setTimeout(() => finish(null), timeoutMs)
    stream.setEncoding('utf8')
    stream.on('data', (chunk: string) => {
      text += chunk
      if (text.includes('\n')) finish(text.slice(0, text.indexOf('\n')))
    })
    stream.on('error', () => finish(null))
    stream.on('close', () => finish(null))
  })
}
