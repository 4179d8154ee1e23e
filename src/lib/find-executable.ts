// Where a command is on PATH, found without starting a process. null: nowhere.
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

function isExecutable(path: string): boolean {
  try {
    // First what throws nothing: most places on PATH do not have it, and an exception costs more than the look.
    if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return false
    accessSync(path, constants.X_OK)
    return true
  } catch {
    // Not there or not for us: either way it cannot be run.
    return false
  }
}
