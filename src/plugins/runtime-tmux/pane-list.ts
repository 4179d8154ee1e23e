// What a handle of this runtime contains, how to address exactly that pane and no other, and what the list of all panes, read with
// one call, says about its session.

import { constants } from 'node:os'
import { AoError } from '../../contract/errors.ts'
import { isSafeName, shownName } from '../../contract/ids.ts'
import type { RuntimeHandle } from '../../contract/session.ts'
import { sleep } from '../../lib/clock.ts'
import { type ProcessIdentity, parseIdentity, processState } from '../../lib/process/process-identity.ts'
import type { Liveness } from '../../slots/runtime.ts'
import { endOrphanedClients } from './control/orphaned-clients.ts'
import { askTmux, type TmuxServer } from './tmux-command.ts'

export interface Pane {
  session: string
  pane: string
  pid: number
  dead: boolean
  exitCode: number | null
  signal: string | null
  spawnId: string | null
  /** Name of its terminal in /dev/pts; null where terminals are elsewhere. */
  pts: string | null
  socket: string
}

/**
 * Empty fields stay visible between the slashes; only the last one may itself contain slashes (`b:` is the last part of a
 * path).
 */
const FIELDS = [
  'pane_id',
  'pane_pid',
  'pane_dead',
  'pane_dead_status',
  'pane_dead_signal',
  '@ao_spawn_id',
  'b:pane_tty',
  'socket_path',
]
/** The name of a session comes first, up to the colon: no such name contains one, though it may contain slashes in the user's own tmux. */
const FORMAT = `#{session_name}:${FIELDS.map((field) => `#{${field}}`).join('/')}`

export type PaneList = { kind: 'panes'; panes: Pane[] } | { kind: 'unknown'; why: string }

/** A tmux older than 3.3 never reports a signal: then the end stays unexplained, and repeating the query does not help. */
const HOW_IT_ENDED_TRIES = 3
const EXITING_TRIES = 5
const EXITING_MS = 50

/**
 * Like `listPanes`, but every end comes with its exit status. A tmux with libutempter often misses that a pane's process
 * ended, because the library disables SIGCHLD while it removes the terminal from utmp. tmux then keeps the process as a
 * zombie until another child of its own ends; so it is given one.
 */
export async function listSettledPanes(server: TmuxServer, timeoutMs: number): Promise<PaneList> {
  let list = await listPanes(server, timeoutMs)
  const isUnsettled = () =>
    list.kind === 'panes' &&
    list.panes.some(({ dead, exitCode, signal }) => dead && exitCode === null && signal === null)
  for (let tries = 0; isUnsettled() && tries < HOW_IT_ENDED_TRIES; tries++) {
    await askTmux(server, [['run-shell', 'true']], timeoutMs)
    list = await listPanes(server, timeoutMs)
  }
  return list
}

/** No server and a server without sessions are answers too: nothing is running there. */
export async function listPanes(server: TmuxServer, timeoutMs: number): Promise<PaneList> {
  let answer = await askTmux(server, [['list-panes', '-a', '-F', FORMAT]], timeoutMs)
  // A server that was just exiting: in a moment there is none, or another one. An orphaned client can hold it up.
  for (let tries = 0; answer.kind === 'lost-server' && tries < EXITING_TRIES; tries++) {
    endOrphanedClients()
    await sleep(EXITING_MS)
    answer = await askTmux(server, [['list-panes', '-a', '-F', FORMAT]], timeoutMs)
  }
  if (answer.kind === 'done') return { kind: 'panes', panes: answer.stdout.split('\n').flatMap(parsePane) }
  if (answer.kind === 'no-server' || answer.kind === 'no-target') return { kind: 'panes', panes: [] }
  return { kind: 'unknown', why: answer.why }
}

function parsePane(line: string): Pane[] {
  const session = line.slice(0, Math.max(0, line.indexOf(':')))
  const [pane, pid, dead, status, signal, spawnId, pts, ...socket] = line.slice(session.length + 1).split('/')
  if (!session || !pane || isHolder(session)) return []
  return [
    {
      session,
      pane,
      pid: Number(pid),
      dead: dead === '1',
      exitCode: status ? Number(status) : null,
      signal: signal ? signalName(Number(signal)) : null,
      spawnId: spawnId || null,
      pts: pts || null,
      socket: socket.join('/'),
    },
  ]
}

function signalName(number: number): string {
  return Object.entries(constants.signals).find(([, value]) => value === number)?.[0] ?? String(number)
}

/** The pane of this very launch: the same name with another spawn id is another launch. */
export function findPane(panes: Pane[], handle: Omit<TmuxHandle, 'target'>): Pane | null {
  const found = panes.find(
    (one) =>
      (handle.isAdopted || one.session === handle.name) &&
      (handle.pane === undefined || one.pane === handle.pane) &&
      (handle.spawnId === undefined || one.spawnId === handle.spawnId),
  )
  return found ?? null
}

export function judge(panes: Pane[], handle: TmuxHandle): Liveness {
  const pane = findPane(panes, handle)
  if (handle.isAdopted && processState(handle.agent!) === 'dead') return { state: 'dead', why: 'the agent has ended' }
  if (pane && !pane.dead) return { state: 'alive', pid: handle.isAdopted ? handle.agent!.pid : pane.pid }
  // The socket may have been removed, or the terminal closed under an agent that continues: then it is not dead.
  if (handle.agent && processState(handle.agent) !== 'dead') {
    return { state: 'unknown', why: `process ${handle.agent.pid} still runs, but tmux has no living pane for it` }
  }
  if (!pane) return { state: 'dead', why: `tmux has no session ${shownName(handle.name)} of this launch` }
  const how = pane.signal === null ? `exit code ${pane.exitCode ?? 'unknown'}` : pane.signal
  return { state: 'dead', exitCode: pane.exitCode, signal: pane.signal, why: `the agent ended: ${how}` }
}

/** A handle from an old record may be a bare name: then everything but the name is missing. */
export interface TmuxHandle {
  /** Its pane. Without `=` tmux matches svc-10 when svc-1 is requested; the pane's id excludes panes that the user split off. */
  target: string
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
  /** In a pane of the user's own tmux: its session has a name of its own, and `agent` is one of the programs in the pane. */
  isAdopted?: true
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
  const target: Omit<TmuxHandle, 'target'> = { name: handle.id }
  for (const key of Object.keys(FORMS) as Array<keyof typeof FORMS>) {
    const value = data[key]
    if (typeof value === 'string' && FORMS[key].test(value)) target[key] = value
  }
  const agent = typeof data.agent === 'string' ? parseIdentity(data.agent) : null
  const { name, pane } = target
  if (data.adopted === true) return adoptedHandle(target, agent)
  return { ...target, target: pane === undefined ? `=${name}:` : `=${name}:.${pane}`, ...(agent && { agent }) }
}

/** Only complete: with anything missing it could be taken for a pane that is not its own. */
function adoptedHandle(of: Omit<TmuxHandle, 'target'>, agent: ProcessIdentity | null): TmuxHandle {
  const { name, pane, socket, spawnId } = of
  if (pane === undefined || socket === undefined || spawnId === undefined || agent === null)
    throw new AoError('RUNTIME_FAILED', `The record of ${shownName(name)} does not say which pane it has adopted`)
  return { ...of, target: pane, agent, isAdopted: true }
}

export function serverOf(server: TmuxServer, handle: TmuxHandle): TmuxServer {
  return handle.socket === undefined ? server : { ...server, address: ['-S', handle.socket] }
}

/** Session names cannot begin like this: they begin with a hash. */
export const HOLDER_PREFIX = 'ao-control-'

export function isHolder(sessionName: string): boolean {
  return sessionName.startsWith(HOLDER_PREFIX)
}
