// Finds a command on PATH without starting a process. null: not found.
import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, isAbsolute, join, resolve } from 'node:path'

export function findExecutable(command: string, options: { env: NodeJS.ProcessEnv; cwd?: string }): string | null {
  if (command === '') return null
  if (isAbsolute(command)) return isExecutable(command) ? command : null
  if (command.includes('/')) {
    const path = resolve(options.cwd ?? '.', command)
    return isExecutable(path) ? path : null
  }
  for (const directory of (options.env.PATH ?? '').split(delimiter)) {
    if (directory === '') continue
    const path = join(directory, command)
    if (isExecutable(path)) return path
  }
  return null
}

/** Whether a command is there at all, where asking it takes too long. `fix`: how to install it. */
export function detectOnPath(command: string, { env, fix }: { env: NodeJS.ProcessEnv; fix: string }) {
  const path = findExecutable(command, { env })
  return path === null ? { ok: false, detail: `${command} is not on PATH`, fix } : { ok: true, detail: path }
}

function isExecutable(path: string): boolean {
  try {
    // First a check that does not throw: most directories on PATH do not have it, and an exception costs more than the
    // check.
    if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return false
    accessSync(path, constants.X_OK)
    return true
  } catch {
    // Missing or not accessible: either way it cannot be run.
    return false
  }
}
