// What a handle of this runtime contains, and how to address exactly that pane and no other.
import { AoError } from '../../contract/errors.ts'
import { isSafeName, shownName } from '../../contract/ids.ts'
import type { RuntimeHandle } from '../../contract/session.ts'
import { formatIdentity, identify, type ProcessIdentity, parseIdentity } from '../../lib/process/process-identity.ts'
import type { TmuxServer } from './tmux-command.ts'

/** A handle from an old record may be a bare name: then everything but the name is missing. */
export interface TmuxHandle {
  name: string
  /** Path of the server's socket. */
  socket?: string
  /** `%3`: never reused while the server is running. */
  pane?: string
  /** The agent's process: the pane's own, not a shell around it. */
  agent?: ProcessIdentity
  spawnId?: string
  stateDir?: string
  workspacePath?: string
}

interface HandleSource {
  name: string
  spawnId: string
  stateDir: string
  workspacePath?: string
}

export function makeHandle(
  launch: HandleSource,
  { pane, pid, socket }: { pane: string; pid: number; socket: string },
): RuntimeHandle {
  const { name, spawnId, stateDir, workspacePath } = launch
  const agent = identify(pid)
  return {
    id: name,
    runtimeName: 'tmux',
    data: {
      socket,
      pane,
      spawnId,
      stateDir,
      workspacePath,
      // An agent that has already ended leaves no process to identify; tmux keeps how it ended.
      agent: agent === null ? undefined : formatIdentity(agent),
    },
  }
}

/** The content of a handle ends up in tmux commands, so it is accepted only in the form that we write. */
const FORMS = {
  socket: /^\//,
  pane: /^%\d+$/,
  spawnId: /^[A-Za-z0-9_-]+$/,
  stateDir: /^\//,
  workspacePath: /^\//,
} as const

export function readHandle(handle: RuntimeHandle): TmuxHandle {
  if (!isSafeName(handle.id))
    throw new AoError('RUNTIME_FAILED', `${shownName(handle.id)} is not the name of a tmux session`)
  const data = handle.data ?? {}
  const target: TmuxHandle = { name: handle.id }
  for (const key of Object.keys(FORMS) as Array<keyof typeof FORMS>) {
    const value = data[key]
    if (typeof value === 'string' && FORMS[key].test(value)) target[key] = value
  }
  const agent = typeof data.agent === 'string' ? parseIdentity(data.agent) : null
  return agent ? { ...target, agent } : target
}

export function serverOf(server: TmuxServer, handle: TmuxHandle): TmuxServer {
  return handle.socket === undefined ? server : { ...server, address: ['-S', handle.socket] }
}

/** Without `=` tmux matches svc-10 when svc-1 is requested. The pane's id excludes panes that the user split off. */
export function paneTarget(handle: TmuxHandle): string {
  return handle.pane === undefined ? `=${handle.name}:` : `=${handle.name}:.${handle.pane}`
}
