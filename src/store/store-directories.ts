// The directories of a project's store, and the proof that they belong to this configuration.
import { existsSync, mkdirSync } from 'node:fs'
import { AoError } from '../contract/errors.ts'
import { createFileExclusive } from '../lib/atomic-write.ts'
import { readIfThere } from '../lib/plain-file.ts'
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
