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

/** Where a command is, or null. */
export type Lookup = (command: string) => string | null

/** Stable paths first: one in PATH may belong to one version, or to one shell. */
const USUAL = [
  '/bin/bash',
  '/usr/bin/bash',
  '/run/current-system/sw/bin/bash',
  '/run/current-system/profile/bin/bash',
  '/usr/local/bin/bash',
  '/opt/homebrew/bin/bash',
] as const

/** macOS reads 512 bytes of the first line, Linux 255 and older kernels 127; a space would end the path. */
const FITS_FIRST_LINE = /^[^\s]{1,100}$/

export function findBash(lookup: Lookup): string | null {
  for (const candidate of [...USUAL, 'bash']) {
    const path = lookup(candidate)
    if (path !== null && isAbsolute(path) && FITS_FIRST_LINE.test(path)) return path
  }
  return null
}

export function lookupIn(env: NodeJS.ProcessEnv): Lookup {
  return (command) => findExecutable(command, { env })
}
