// Every path that ao owns, derived from the home directory, the environment and the configuration's path. Nothing is
// created here.
import { readlinkSync, realpathSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
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
  const projects = new Map<string, ProjectPaths>()
  return {
    home,
    dataDir,
    configDir,
    hash,
    project(projectId) {
      const cached = projects.get(projectId) ?? projectPaths(join(dataDir, `${hash}-${projectId}`))
      projects.set(projectId, cached)
      return cached
    },
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

/** For `ao` itself AO_DATA_DIR is the base; inside a session it is the project's `sessions/`, recognized by its suffix. */
export function resolveDataDir(home: string, env: NodeJS.ProcessEnv): string {
  const given = env.AO_DATA_DIR
  if (!given) return join(home, '.agent-orchestrator')
  const absolute = resolve(given)
  return basename(absolute) === 'sessions' ? dirname(dirname(absolute)) : absolute
}

/** Also for a process inside a session, which knows the directory but not the configuration. */
export function projectPaths(dir: string): ProjectPaths {
  const sessions = join(dir, 'sessions')
  const locks = join(sessions, '.locks')
  const history = join(dir, 'history')
  const state = join(dir, 'state')
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
    // Without `join`, which is called for every session of a list. Ids are checked before (`isSafeName`).
    sessionFile: (sessionId) => `${sessions}/${sessionId}`,
    lockFile: (sessionId) => `${locks}/${sessionId}`,
    historyFile: (sessionId) => `${history}/${sessionId}.jsonl`,
    stateDir: (sessionId) => `${state}/${sessionId}`,
  }
}
