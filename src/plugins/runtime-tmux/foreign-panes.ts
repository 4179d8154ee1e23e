// Panes of the user's own tmux in which an agent was started without ao. ao reads their screens, types into them and ends the
// agent; the servers, sessions, windows and shells stay the user's: no client of ao connects to them, and nothing is resized.
import { lstatSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { AoError } from '../../contract/errors.ts'
import { shownName } from '../../contract/ids.ts'
import type { RuntimeHandle } from '../../contract/session.ts'
import { namesIn } from '../../lib/plain-file.ts'
import { formatIdentity, identify, type ProcessIdentity, processState } from '../../lib/process/process-identity.ts'
import { isInForeground, readProcessTable } from '../../lib/process/process-table.ts'
import type { AttachInfo, ForeignTerminal, ForeignTerminals } from '../../slots/runtime.ts'
import { makeHandle } from './create-session.ts'
import { listPanes, type TmuxHandle } from './pane-list.ts'
import { callTmux, PROBE_TIMEOUT_MS, sequence, type TmuxServer } from './tmux-command.ts'

/** People have one or two. */
const MOST_SERVERS = 20

export async function listForeign(own: TmuxServer, ownName: string): Promise<ForeignTerminal[]> {
  const sockets = socketsOf(own.env).filter((socket) => basename(socket) !== ownName)
  const lists = await Promise.all(sockets.map((socket) => listPanes(at(own, socket), PROBE_TIMEOUT_MS)))
  return lists.flatMap((list, index) => {
    const server = basename(sockets[index]!)
    return (list.kind === 'panes' ? list.panes : []).flatMap(({ dead, pid, pane, session, socket }) => {
      const root = dead ? null : identify(pid)
      const name = server === 'default' ? pane : `${server}:${pane}`
      return root ? [{ name, where: `tmux session ${session}`, root, address: { pane, socket } }] : []
    })
  })
}

/** Marked as this launch's, and then looked at: the pane may have become another one since it was listed. */
export async function takePane(
  own: TmuxServer,
  ...[{ name, address }, launch, agent]: Parameters<ForeignTerminals['take']>
): Promise<RuntimeHandle> {
  const { pane = '', socket = '' } = address
  const answer = await callTmux(
    at(own, socket),
    sequence(
      ['set-option', '-p', '-t', pane, '@ao_spawn_id', launch.spawnId],
      ['display-message', '-p', '-t', pane, '#{pane_pid} #{@ao_spawn_id}'],
    ),
  )
  const [root, spawnId] = answer.kind === 'done' ? answer.stdout.trim().split(' ') : []
  if (spawnId !== launch.spawnId || !isBelow(agent.pid, Number(root)) || processState(agent) !== 'alive') {
    throw new AoError('RUNTIME_FAILED', `The pane ${name} could not be adopted: it has changed meanwhile`, {
      hint: 'See what there is now with: ao adopt',
      details: { pane: name },
    })
  }
  const handle = makeHandle(launch, { pane, pid: agent.pid, socket })
  return { ...handle, data: { ...handle.data, agent: formatIdentity(agent), adopted: true } }
}

function at(own: TmuxServer, socket: string): TmuxServer {
  return { ...own, address: ['-S', socket] }
}

/** Sockets of this user, as tmux itself would find them: never those of somebody else. */
function socketsOf(env: NodeJS.ProcessEnv): string[] {
  const user = process.getuid?.()
  const directory = join(env.TMUX_TMPDIR || '/tmp', `tmux-${user}`)
  const current = env.TMUX?.split(',')[0]
  const isOwn = (path: string) => lstatSync(path, { throwIfNoEntry: false })?.uid === user
  const found = isOwn(directory) ? namesIn(directory).map((name) => join(directory, name)) : []
  const all = new Set([...(current && isOwn(dirname(current)) ? [current] : []), ...found])
  const isSocket = (path: string) => lstatSync(path, { throwIfNoEntry: false })?.isSocket() ?? false
  return [...all].filter((path) => isSocket(path) && isOwn(path)).slice(0, MOST_SERVERS)
}

/** Is a process this one, or one of its descendants? */
export function isBelow(pid: number, root: number): boolean {
  const parents = new Map(readProcessTable().map((row) => [row.identity.pid, row.parent]))
  for (let at: number | undefined = pid; at !== undefined && at > 1; at = parents.get(at)) if (at === root) return true
  return false
}

/** Behind a shell, text and Enter would be a command of the shell: so the agent itself has to have the terminal. */
export function requireForeground({ name, agent, isAdopted }: TmuxHandle): void {
  if (!isAdopted || isAtTerminal(agent!)) return
  throw new AoError('RUNTIME_FAILED', `The agent of ${shownName(name)} is not what its terminal would type into now`, {
    hint: 'It has ended, or another program is in front of it: look at its terminal',
    details: { name, pasted: false },
  })
}

function isAtTerminal(agent: ProcessIdentity): boolean {
  return processState(agent) === 'alive' && isInForeground(agent.pid)
}

/** A live view needs a client of ao's in the server, which would be one more client of the user's session. */
export function refuseAdopted({ name, isAdopted, socket, pane }: TmuxHandle): void {
  if (!isAdopted) return
  throw new AoError('RUNTIME_FAILED', `The terminal of ${shownName(name)} is a pane of your own tmux`, {
    hint: `Look at it there: tmux -S ${socket} attach-session -t ${pane}`,
  })
}

/** Inside of the same tmux there is a client already: it is taken to the pane. */
export function attachToAdopted({ socket, pane, name }: TmuxHandle, env: NodeJS.ProcessEnv): AttachInfo {
  const isInside = env.TMUX?.split(',')[0] === socket
  const command = (...flags: string[]) => [
    ...['tmux', '-u', '-S', socket!, 'select-window', '-t', pane!, ';', 'select-pane', '-t', pane!, ';'],
    ...[isInside ? 'switch-client' : 'attach-session', ...flags, '-t', pane!],
  ]
  const at = { type: 'tmux' as const, target: name, command: command() }
  return isInside ? at : { ...at, readOnlyCommand: command('-r'), environment: { TMUX: '' } }
}
