// `ao foo` where there is no such command: `ao-foo` from PATH, for people, with the rest of the line.
import { lstatSync, realpathSync } from 'node:fs'
import { constants } from 'node:os'
import { delimiter, dirname, isAbsolute, join } from 'node:path'
import { AoError } from '../contract/errors.ts'
import { type DirectoryAbove, ownCommandName, refuseOwnCommand } from '../core/boundary/own-command.ts'
import { findExecutable } from '../lib/find-executable.ts'
import { startProgram } from '../lib/start-program.ts'
import type { Io } from './print/io.ts'

/** null: there is none. */
export async function runOwnCommand([word = '', ...rest]: readonly string[], io: Io): Promise<number | null> {
  const name = ownCommandName(word)
  // A relative entry is a directory of whatever repository one is in.
  const PATH = (io.env.PATH ?? '').split(delimiter).filter(isAbsolute).join(delimiter)
  const path = name === null ? null : findExecutable(name, { env: { PATH } })
  if (path === null) return null
  const why = refuseOwnCommand(
    [...directoriesAbove(dirname(path)), ...directoriesAbove(dirname(realpathSync(path)))],
    io.cwd,
  )
  if (why !== null)
    throw new AoError('USAGE', `${name} is not run as ao ${word}: ${why}`, { hint: `Run it by its name: ${path}` })
  const config = io.configPath === undefined ? {} : { AO_CONFIG_PATH: io.configPath }
  return inTerminal(path, rest, { ...io.env, ...config })
}

const ENDING_SIGNALS = ['SIGTERM', 'SIGHUP'] as const

/** Keys such as Ctrl-C reach it by themselves; whatever else ends us ends it too. */
export function inTerminal(path: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const child = startProgram(path, args, { stdio: 'inherit', env })
  const leaveToChild = () => undefined
  const handOn = (signal: NodeJS.Signals) => child.kill(signal)
  process.on('SIGINT', leaveToChild)
  for (const signal of ENDING_SIGNALS) process.on(signal, handOn)
  return new Promise<number>((resolve, reject) => {
    child.once('error', ({ message }) =>
      reject(new AoError('TOOL_MISSING', `${path} could not be started: ${message}`)),
    )
    child.once('exit', (code, signal) => resolve(code ?? 128 + (signal ? constants.signals[signal] : 0)))
  }).finally(() => {
    process.off('SIGINT', leaveToChild)
    for (const signal of ENDING_SIGNALS) process.off(signal, handOn)
  })
}

function directoriesAbove(path: string): DirectoryAbove[] {
  const real = realpathSync(path)
  const found: DirectoryAbove[] = []
  for (let directory = real; ; directory = dirname(directory)) {
    const git = lstatSync(join(directory, '.git'), { throwIfNoEntry: false })
    const hasSessionFiles = lstatSync(join(directory, '.ao'), { throwIfNoEntry: false })?.isDirectory() === true
    found.push({
      path: directory,
      git: git === undefined ? null : git.isDirectory() ? 'directory' : 'file',
      hasSessionFiles,
    })
    if (directory === dirname(directory)) return found
  }
}
