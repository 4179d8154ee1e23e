// Checked before anything is created: a home that cannot be written to is one error, not a session that stops half-way.
import { accessSync, constants, existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { AoError } from '../contract/errors.ts'
import type { AoPaths } from './paths.ts'

export function requireWritable(paths: AoPaths): void {
  for (const directory of ownDirectories(paths)) {
    const existing = nearestExisting(directory)
    if (isWritable(existing)) continue
    throw new AoError('ACCESS_DENIED', `${existing} is not writable, and ao keeps its files in ${directory}`, {
      hint: `Make ${existing} writable, or set AO_HOME to a directory of your own`,
      details: { path: existing },
    })
  }
}

export function canWrite(paths: AoPaths): boolean {
  return ownDirectories(paths).every((directory) => isWritable(nearestExisting(directory)))
}

function ownDirectories({ home, dataDir }: AoPaths): string[] {
  return [join(home, '.ao'), dataDir]
}

function isWritable(directory: string): boolean {
  try {
    accessSync(directory, constants.W_OK | constants.X_OK)
    return true
  } catch {
    // Whatever the reason, nothing can be created there.
    return false
  }
}

/** The directory itself, or the parent in which it would have to be created. */
export function nearestExisting(directory: string): string {
  return existsSync(directory) || dirname(directory) === directory ? directory : nearestExisting(dirname(directory))
}
