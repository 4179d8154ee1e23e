// Every path that ao owns, derived from the home directory, the environment and the configuration's path. Nothing is
// created here.
import { realpathSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { dataHash, resolveDataDir } from '../lib/process/own-home.ts'

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
