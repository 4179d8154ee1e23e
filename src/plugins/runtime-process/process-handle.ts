// What a handle of this runtime contains: where the host listens and who host and agent are.
import type { RuntimeHandle } from '../../contract/session.ts'
import { type ProcessIdentity, parseIdentity } from '../../lib/process/process-identity.ts'
import { type HostState, readState } from './host/host-files.ts'

export interface ProcessHandle {
  name: string
  spawnId: string
  stateDir: string
  workspacePath?: string
  socket?: string
  host?: ProcessIdentity
  agent?: ProcessIdentity
}

export function makeHandle(
  launch: { name: string; spawnId: string; stateDir: string; workspacePath?: string },
  state: HostState,
): RuntimeHandle {
  const { name, spawnId, stateDir, workspacePath } = launch
  return {
    id: name,
    runtimeName: 'process',
    data: {
      spawnId,
      stateDir,
      host: state.host,
      agent: state.agent ?? undefined,
      socket: state.socket ?? undefined,
      workspacePath,
    },
  }
}

/** null: the handle was not made by this runtime. */
export function readHandle(handle: RuntimeHandle): ProcessHandle | null {
  const data = handle.data ?? {}
  const { spawnId, stateDir } = data
  if (typeof spawnId !== 'string' || typeof stateDir !== 'string') return null
  const target: ProcessHandle = { name: handle.id, spawnId, stateDir }
  if (typeof data.workspacePath === 'string') target.workspacePath = data.workspacePath
  addState(target, { host: text(data.host), agent: text(data.agent), socket: text(data.socket) })
  // The host's own file knows more than a handle found while the host was starting, and is more reliable than a record that
  // may have been edited: messages go where the host of this very start listens.
  const state = readState(stateDir, spawnId)
  if (state !== null) addState(target, state)
  return target
}

function addState(
  target: ProcessHandle,
  state: { host: string | null; agent: string | null; socket: string | null },
): void {
  const host = state.host === null ? null : parseIdentity(state.host)
  const agent = state.agent === null ? null : parseIdentity(state.agent)
  if (host) target.host = host
  if (agent) target.agent = agent
  if (state.socket !== null) target.socket = state.socket
}

function text(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}
