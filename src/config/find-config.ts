// Which configuration counts, and the texts that it is made of: the repository's file, and the user's own below it where there
// is one. What is read is bounded.
import { existsSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path'
import { AoError, errorText } from '../contract/errors.ts'
import { locateGit, mainCheckout } from '../git/git-dir.ts'
import { readPlainText } from '../lib/plain-file.ts'
import { ownHome, userHome } from '../lib/process/own-home.ts'

export const CONFIG_FILE_NAMES = ['agent-orchestrator.yaml', 'agent-orchestrator.yml'] as const

export interface ConfigLocation {
  path?: string | undefined
  cwd?: string | undefined
  env?: NodeJS.ProcessEnv | undefined
  home?: string | undefined
}

export interface FoundConfig {
  path: string
  how: 'named' | 'environment' | 'above' | 'global'
}

export function findConfig(location: ConfigLocation = {}): FoundConfig {
  const { env, home } = resolveLocation(location)
  if (location.path !== undefined) return { path: requireFile(resolveFrom(location, location.path), ''), how: 'named' }
  const fromEnv = env.AO_CONFIG_PATH
  // A stale name must not silently select another configuration: sessions would be searched for in the wrong directory.
  if (fromEnv)
    return { path: requireFile(resolveFrom(location, fromEnv), ', which AO_CONFIG_PATH names'), how: 'environment' }

  const start = currentDirectory(location)
  const above = findAboveProject(start) ?? findInMain(start) ?? findAbove(start)
  if (above !== null) return { path: above, how: 'above' }
  const globals = globalConfigPaths({ env, home })
  const global = globals.find(isThere)
  if (global !== undefined) return { path: global, how: 'global' }
  throw new AoError(
    'CONFIG_NOT_FOUND',
    `There is no ${CONFIG_FILE_NAMES[0]} in ${start} or above it, and no ${globals.join(' or ')}`,
    { details: { start, names: CONFIG_FILE_NAMES, global: globals } },
  )
}

/** Environment and home of the caller; the process's own by default. */
export function resolveLocation(location: ConfigLocation): { env: NodeJS.ProcessEnv; home: string } {
  const env = location.env ?? process.env
  return { env, home: location.home ?? ownHome(env) }
}

/** Where the user's own configuration may be, in order of preference. */
export function globalConfigPaths(options: { env: NodeJS.ProcessEnv; home: string }): string[] {
  const override = options.env.AO_GLOBAL_CONFIG
  if (override) return [resolve(options.home, override)]
  const { XDG_CONFIG_HOME: xdg, AO_HOME: own } = options.env
  const users = join(userHome(options.home, options.env), '.config')
  const bases = own ? [join(own, '.config')] : [...(xdg && isAbsolute(xdg) ? [xdg] : []), users]
  return [...new Set(bases.map((base) => join(base, 'agent-orchestrator', 'config.yaml')))]
}

/** The user's own configuration that exists; null: none. */
export function userConfigPath(options: { env: NodeJS.ProcessEnv; home: string }): string | null {
  return globalConfigPaths(options).find(isThere) ?? null
}

/**
 * From inside a workspace: its own copy of the file is a different configuration, without sessions, and the agent can edit
 * it.
 */
function findAboveProject(start: string): string | null {
  const project = projectCheckout(start)
  return project === null ? null : findAbove(project)
}

/**
 * From a worktree that the user has added: sessions belong to the repository, so that its main checkout decides. What that
 * does not have, the worktree may.
 */
function findInMain(start: string): string | null {
  try {
    const root = findGitRoot(start)
    const main = root === null ? null : mainCheckout(root)
    return root === null || main === null ? null : findAbove(join(main, relative(root, start)), main)
  } catch {
    // Its git data cannot be read: an ordinary directory.
    return null
  }
}

function findAbove(start: string, last?: string): string | null {
  for (let directory = start; ; directory = dirname(directory)) {
    const found = findIn(directory)
    if (found !== null) return found
    if (directory === last || dirname(directory) === directory) return null
  }
}

function findIn(directory: string): string | null {
  return CONFIG_FILE_NAMES.map((name) => join(directory, name)).find(isThere) ?? null
}

/** A directory means the configuration inside it. */
function requireFile(path: string, origin: string): string {
  const found = isThere(path) ? path : findIn(path)
  if (found !== null) return found
  throw new AoError('CONFIG_NOT_FOUND', `There is no configuration at ${path}${origin}`, { details: { path } })
}

function isThere(path: string): boolean {
  try {
    return !(statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? true)
  } catch {
    // An inaccessible directory on the way contains nothing for us.
    return false
  }
}

function resolveFrom(location: ConfigLocation, path: string): string {
  return isAbsolute(path) ? path : resolve(currentDirectory(location), path)
}

function currentDirectory(location: ConfigLocation): string {
  if (location.cwd !== undefined) return resolve(location.cwd)
  try {
    return process.cwd()
  } catch (error) {
    throw new AoError('CONFIG_NOT_FOUND', `The current directory no longer exists: ${errorText(error)}`, {
      hint: 'Change to a directory that exists',
      cause: error,
    })
  }
}

/** The record that workspace plugins leave in the private git directory of their workspaces. */
const MARKER = 'ao-session'

/** The same directory in the project's own checkout. null: `directory` is not in a workspace of ao. */
function projectCheckout(directory: string): string | null {
  try {
    const root = findGitRoot(directory)
    const repository = root === null ? null : repositoryOf(root)
    if (root === null || repository === null || basename(repository) !== '.git') return null
    return join(dirname(repository), relative(root, directory))
  } catch {
    // No marker, or an invalid one: an ordinary directory.
    return null
  }
}

function findGitRoot(directory: string): string | null {
  if (existsSync(join(directory, '.git'))) return directory
  const parent = dirname(directory)
  return parent === directory ? null : findGitRoot(parent)
}

function repositoryOf(root: string): string | null {
  const gitDir = locateGit(root)?.gitDir
  if (gitDir === undefined || !existsSync(join(gitDir, MARKER))) return null
  const { repository } = JSON.parse(readPlainText(join(gitDir, MARKER))) as { repository?: unknown }
  return typeof repository === 'string' ? repository : null
}

const LARGEST = 256 * 1024

export interface ConfigText {
  /** Real path: the same file under another name is the same configuration. */
  path: string
  text: string
}

export interface LayerTexts {
  /** The file that was found: of a repository, or the user's own where no other applies. */
  main: ConfigText
  /** The user's own file below it; null: there is none, or it is the main one. */
  user: ConfigText | null
  /** The user's own file is the only one that was found. */
  isUsersOnly: boolean
}

export function readLayers(location: ConfigLocation): LayerTexts {
  const found = findConfig(location)
  const main = readConfig(found.path)
  const userPath = userConfigPath(resolveLocation(location))
  const user = userPath === null ? null : readConfig(userPath)
  const isSame = user !== null && user.path === main.path
  return { main, user: isSame ? null : user, isUsersOnly: found.how === 'global' }
}

export function readConfig(path: string): ConfigText {
  try {
    const real = realpathSync(path)
    return { path: real, text: readPlainText(real, { maxBytes: LARGEST }) }
  } catch (error) {
    if (error instanceof AoError) throw refused(path, error)
    throw new AoError('CONFIG_INVALID', `${path} cannot be read: ${errorText(error)}`, {
      hint: 'Check that the file exists and that you may read it',
      details: { file: path },
      cause: error,
    })
  }
}

function refused(path: string, { message, details }: AoError): AoError {
  return new AoError('CONFIG_INVALID', message, {
    hint: 'Name another file with: --config <path>',
    details: { ...details, file: path },
  })
}
