// What to run to put the user inside the session, wherever they call from. Only decides; starts nothing.
import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import type { AttachInfo } from '../../slots/runtime.ts'

export interface AttachPlan {
  command: string[]
  env: NodeJS.ProcessEnv
}

/** Inside the session's own tmux server the client there is switched. Inside any other tmux the session is attached
 *  in the pane, which tmux refuses only while it sees TMUX. */
export function planAttach(attach: AttachInfo, userEnv: NodeJS.ProcessEnv, uid: number): AttachPlan {
  const tmux = parseTmuxAttach(attach)
  const isInside = tmux !== null && userEnv.TMUX && isSamePath(tmux.socketPath(userEnv, uid), socketOf(userEnv.TMUX))
  if (isInside) return { command: tmux.switchCommand, env: userEnv }
  const { TMUX: _server, TMUX_PANE: _pane, ...outside } = { ...userEnv, ...attach.environment }
  return { command: attach.command, env: outside }
}

interface TmuxAttach {
  socketPath(env: NodeJS.ProcessEnv, uid: number): string
  switchCommand: string[]
}

/** null: not a tmux attach in the known form; then it is simply run. */
function parseTmuxAttach({ type, command }: AttachInfo): TmuxAttach | null {
  const verb = command.findIndex((word) => word === 'attach-session' || word === 'attach')
  const target = verb === -1 ? undefined : valueAfter('-t', command.slice(verb))
  if (type !== 'tmux' || target === undefined) return null
  const program = command.slice(0, verb)
  return {
    socketPath: (env, uid) =>
      valueAfter('-S', program) ??
      join(env.TMUX_TMPDIR || '/tmp', `tmux-${uid}`, valueAfter('-L', program) ?? 'default'),
    switchCommand: [...program, 'switch-client', '-t', target],
  }
}

function valueAfter(flag: string, argv: string[]): string | undefined {
  const index = argv.indexOf(flag)
  return index === -1 ? undefined : argv[index + 1]
}

/** TMUX is `{socket},{server pid},{session}`, and a path may itself contain commas. */
function socketOf(tmux: string): string {
  return tmux.replace(/,[^,]*,[^,]*$/, '')
}

/** tmux writes the resolved path; /tmp itself is a link on macOS. */
function isSamePath(a: string, b: string): boolean {
  return a === b || resolveLinks(a) === resolveLinks(b)
}

function resolveLinks(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    // No such socket: then only the names can be compared.
    return path
  }
}
