// The directories of a project's store: can they be written, and do they belong to this configuration?
import { accessSync, constants, existsSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { AoError } from '../contract/errors.ts'
import { createFileExclusive } from '../lib/atomic-write.ts'
import { readIfThere } from '../lib/plain-file.ts'
import type { AoPaths } from './paths.ts'
import type { StoreContext } from './store-context.ts'

type OriginContext = Pick<StoreContext, 'projectId' | 'paths' | 'configPath'>

/** Creates what is missing. Many processes may do this at once; the first one's `.origin` counts for all. */
export function prepareDirectories(context: OriginContext): void {
  const { paths, configPath } = context
  verifyOrigin(context)
  mkdirSync(paths.dir, { recursive: true, mode: 0o700 })
  // Before anything else is put there, so that a collision changes no data.
  if (!createFileExclusive(paths.origin, `${configPath}\n`)) verifyOrigin(context)
  for (const directory of [paths.sessions, paths.archive, paths.damaged, paths.locks, paths.history, paths.feedback]) {
    mkdirSync(directory, { recursive: true, mode: 0o700 })
  }
}

/**
 * Two configuration directories with the same hash are improbable; mixing their sessions is unacceptable. false: nothing
 * has been written there yet.
 */
export function verifyOrigin({ projectId, paths, configPath }: OriginContext): boolean {
  const recorded = readOrigin(paths.origin)
  if (recorded === null || recorded === configPath) return recorded !== null
  throw new AoError(
    'ORIGIN_MISMATCH',
    `The data of project ${projectId} in ${paths.dir} belongs to ${recorded}, not to ${configPath}`,
    {
      hint: existsSync(recorded)
        ? `Two configurations have the same data. Set AO_DATA_DIR for one of them`
        : 'If the configuration was moved here, take its sessions along with: ao config relink',
      details: { recorded, configPath, directory: paths.dir },
    },
  )
}

function readOrigin(file: string): string | null {
  return readIfThere(file, { noFollow: true })?.trim() ?? null
}

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
