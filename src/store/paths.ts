// Every path that ao owns, derived from the home directory, the environment and the configuration's path, and whether files can
// be written there. Nothing is created here.
import { accessSync, constants, existsSync, readlinkSync, realpathSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { AoError } from '../contract/errors.ts'
import { resolveDataDir } from '../lib/process/own-home.ts'
import { sha256Hex } from '../lib/sha256-hex.ts'

export interface ProjectPaths {
  /** `{dataDir}/{hash}-{projectId}` */
  dir: string
  origin: string
  sessions: string
  archive: string
  /** Originals of damaged records. */
  damaged: string
  locks: string
  history: string
  feedback: string
  /** What imports that are under way will create. */
  imports: string
  sessionFile(sessionId: string): string
  lockFile(sessionId: string): string
  /** Held by whoever types into its agent, a message or an answer. */
  sendLock(sessionId: string): string
  historyFile(sessionId: string): string
  /** Private files of one session outside its worktree: prompts, hook settings, logs, socket names. */
  stateDir(sessionId: string): string
}

export interface AoPaths {
  home: string
  dataDir: string
  configDir: string
  /** 12 hex digits of the configuration directory, or of the one it was moved from. */
  hash: string
  project(projectId: string): ProjectPaths
  /** `{dataDir}/{hash}-observability/processes` */
  observability: string
  /** `~/.ao/bin`, first in every agent's PATH. */
  bin: string
  /** What the user has trusted, `~/.ao/trust.json`. */
  trust: string
}

export function createPaths(options: { configPath: string; home: string; env: NodeJS.ProcessEnv }): AoPaths {
  const { home, env } = options
  const configDir = realpathSync(dirname(resolve(options.configPath)))
  const dataDir = resolveDataDir(home, env)
  const hash = dataHash(configDir, dataDir)
  return {
    home,
    dataDir,
    configDir,
    hash,
    project: projectsIn(dataDir, hash),
    observability: join(dataDir, `${hash}-observability`, 'processes'),
    bin: join(home, '.ao', 'bin'),
    trust: join(home, '.ao', 'trust.json'),
  }
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

function projectsIn(dataDir: string, hash: string): AoPaths['project'] {
  const projects = new Map<string, ProjectPaths>()
  return (projectId) => {
    const cached = projects.get(projectId) ?? projectPaths(join(dataDir, `${hash}-${projectId}`))
    projects.set(projectId, cached)
    return cached
  }
}

/** Also for a process inside a session, which knows the directory but not the configuration. */
export function projectPaths(dir: string): ProjectPaths {
  const sessions = join(dir, 'sessions')
  const locks = join(sessions, '.locks')
  const history = join(dir, 'history')
  return {
    dir,
    origin: join(dir, '.origin'),
    sessions,
    archive: join(sessions, 'archive'),
    damaged: join(sessions, '.damaged'),
    locks,
    history,
    feedback: join(dir, 'feedback-reports'),
    imports: join(dir, 'imports'),
    sessionFile: below(sessions),
    lockFile: below(locks),
    sendLock: below(locks, '.send'),
    historyFile: below(history, '.jsonl'),
    stateDir: below(join(dir, 'state')),
  }
}

/** Without `join`, which is called for every session of a list. Ids are checked before (`isSafeName`). */
function below(directory: string, ending = '') {
  return (sessionId: string) => `${directory}/${sessionId}${ending}`
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
