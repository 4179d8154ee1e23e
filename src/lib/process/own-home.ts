// Two homes that are usually one: ao's own, with everything that ao keeps, and the user's, with the files of other
// programs; in the first the directory of ao's data, what belongs to which configuration there, and whether it can be written.
import { accessSync, constants, existsSync, readlinkSync, realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, dirname, isAbsolute, join, resolve } from 'node:path'
import { AoError } from '../../contract/errors.ts'
import { sha256Hex } from '../sha256-hex.ts'

/** What ao creates in a home. If one of them exists, this home is in use, and stays so. */
const OWN_DIRECTORIES = ['.ao', '.agent-orchestrator', '.agh']

/** `AO_HOME`, or a directory in `XDG_DATA_HOME` where that is set and the home has no data yet, or the home itself. */
export function ownHome(env: NodeJS.ProcessEnv): string {
  if (env.AO_HOME) return env.AO_HOME
  const home = env.HOME || homedir()
  const xdg = env.XDG_DATA_HOME
  if (!xdg || !isAbsolute(xdg)) return home
  const apart = join(xdg, 'ao-fleet')
  if (existsSync(apart)) return apart
  return OWN_DIRECTORIES.some((name) => existsSync(join(home, name))) ? home : apart
}

/** Where `~` points and agents keep their files. A home chosen by the caller is both. */
export function userHome(home: string, env: NodeJS.ProcessEnv = process.env): string {
  return env.HOME && home === ownHome(env) ? env.HOME : home
}

/** For `ao` itself AO_DATA_DIR is the base; inside a session it is the project's `sessions/`, recognized by its suffix. */
export function resolveDataDir(home: string, env: NodeJS.ProcessEnv): string {
  const given = env.AO_DATA_DIR
  if (!given) return join(home, '.agent-orchestrator')
  const absolute = resolve(given)
  return basename(absolute) === 'sessions' ? dirname(dirname(absolute)) : absolute
}

/** By directory: every command asks several times. */
const hashes = new Map<string, string>()

export function hashConfigDir(configDir: string): string {
  const path = realpathSync(configDir)
  const cached = hashes.get(path) ?? sha256Hex(path).slice(0, 12)
  hashes.set(path, cached)
  return cached
}

/** Next to the data: for a moved configuration, the hash under which its data is stored. */
export function movedLink(dataDir: string, hash: string): string {
  return join(dataDir, `${hash}.moved`)
}

/** The hash in the names of a configuration's data: its own, or that of the path it was moved from. */
export function dataHash(configDir: string, dataDir: string): string {
  const own = hashConfigDir(configDir)
  try {
    const moved = readlinkSync(movedLink(dataDir, own))
    return /^[0-9a-f]{12}$/.test(moved) ? moved : own
  } catch {
    // Never moved, like nearly all.
    return own
  }
}

/** For plugins, which know the configuration's directory and not its content. */
export function projectDirectory(
  { configDir, dataDir }: { configDir: string; dataDir: string },
  projectId: string,
): string {
  return join(dataDir, `${dataHash(configDir, dataDir)}-${projectId}`)
}

interface OwnDirectories {
  home: string
  dataDir: string
}

export function requireWritable(paths: OwnDirectories): void {
  for (const directory of ownDirectories(paths)) {
    const existing = nearestExisting(directory)
    if (isWritable(existing)) continue
    throw new AoError('ACCESS_DENIED', `${existing} is not writable, and ao keeps its files in ${directory}`, {
      hint: `Make ${existing} writable, or set AO_HOME to a directory of your own`,
      details: { path: existing },
    })
  }
}

export function canWrite(paths: OwnDirectories): boolean {
  return ownDirectories(paths).every((directory) => isWritable(nearestExisting(directory)))
}

function ownDirectories({ home, dataDir }: OwnDirectories): string[] {
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
