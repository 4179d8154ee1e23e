// Where agh keeps its files: `~/.agh`, or AGH_HOME.
import { join } from 'node:path'
import { AoError } from '../contract/errors.ts'
import { isSafeName } from '../contract/ids.ts'

export interface AghPaths {
  home: string
  config: string
  workspaces: string
  socket: string
  /** For HTTP over TCP where the system does not say who is asking. */
  httpToken: string
  lock: string
  daemonFile: string
  /** The command that is restarting the daemon. */
  restartFile: string
  agents: string
  sessions: string
  tasks: string
  log: string
  crashBundles: string
}

export function aghPaths(env: NodeJS.ProcessEnv, userHome: string): AghPaths {
  const home = env.AGH_HOME || join(userHome, '.agh')
  return {
    home,
    config: join(home, 'config.toml'),
    workspaces: join(home, 'workspaces.json'),
    socket: join(home, 'daemon.sock'),
    httpToken: join(home, 'http-token'),
    lock: join(home, 'daemon.lock'),
    daemonFile: join(home, 'daemon.json'),
    restartFile: join(home, 'daemon.restart'),
    agents: join(home, 'agents'),
    sessions: join(home, 'sessions'),
    tasks: join(home, 'tasks'),
    log: join(home, 'logs', 'agh.log'),
    crashBundles: join(home, 'logs', 'crash-bundles'),
  }
}

/** An id that could escape its directory is not a session id. */
export function sessionDirectory(paths: AghPaths, sessionId: string): string {
  if (!isSafeName(sessionId)) throw sessionNotFound(sessionId)
  return join(paths.sessions, sessionId)
}

export function sessionNotFound(sessionId: string): AoError {
  return new AoError('SESSION_NOT_FOUND', `There is no session ${sessionId}`, {
    hint: 'List the sessions with: agh session list --all',
    details: { sessionId },
  })
}
