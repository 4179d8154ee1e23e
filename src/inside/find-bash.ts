// The bash that runs the wrappers for git and gh and the hooks of agents. Not every system has /bin/bash: NixOS and Guix keep it
// elsewhere, Alpine has none. A script whose interpreter is missing is skipped in silence by whoever searches PATH for it.
import { isAbsolute } from 'node:path'
import { AoError } from '../contract/errors.ts'
import { findExecutable } from '../lib/find-executable.ts'

/** Where a command is, or null. */
export type Lookup = (command: string) => string | null

/** Stable paths first: a path in PATH may belong to one version, or to one shell. */
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

export function bashLookup(env: NodeJS.ProcessEnv): Lookup {
  return (command) => findExecutable(command, { env })
}

export const INSTALL_BASH = 'Install bash, for example with: apk add bash'

/** Without it the agent's git, gh and hooks would go past ao unnoticed, so that no session may start. */
export function requireBash(lookup: Lookup): string {
  const path = findBash(lookup)
  if (path !== null) return path
  throw new AoError('TOOL_MISSING', 'bash is not installed, and the git and gh of every agent need it', {
    hint: INSTALL_BASH,
    details: { command: 'bash' },
  })
}
