// Programs that outlive whoever starts them: hosts of agents, lines to places, the recorder of terminals.
import type { ChildProcess } from 'node:child_process'
import type { Readable } from 'node:stream'
import { readSince } from '../plain-file.ts'
import { startProgram } from '../start-program.ts'
import { firstLine } from './first-line.ts'

export interface Detached {
  /** Flags of node, the program and its arguments. */
  argv: readonly string[]
  env: NodeJS.ProcessEnv
  /** File descriptor for what it prints. */
  log: number
}

/**
 * The shell exits immediately, so the program is no longer our descendant: ending us, or an agent around us, does not end it. It
 * has a pipe to us as file descriptor 3.
 */
export function startDetached({ argv: words, env, log }: Detached): { child: ChildProcess; pipe: Readable } {
  const child = startProgram('/bin/sh', ['-c', '"$@" &', 'sh', process.execPath, ...words], {
    cwd: '/',
    env,
    stdio: ['ignore', log, log, 'pipe'],
    detached: true,
  })
  // A shell that cannot be started closes the pipe, which is what we wait for.
  child.on('error', () => undefined)
  return { child, pipe: child.stdio[3] as Readable }
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
