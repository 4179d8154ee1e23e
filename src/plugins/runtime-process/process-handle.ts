// What a handle of this runtime contains: where the host listens and who host and agent are.
import type { RuntimeHandle } from '../../contract/session.ts'
import type { HostRecord } from '../../host/files.ts'
import { readLaunch } from '../../host/launches.ts'
import { type ProcessIdentity, parseIdentity } from '../../lib/process/process-identity.ts'

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
  record: HostRecord,
): RuntimeHandle {
  const { name, spawnId, stateDir, workspacePath } = launch
  return {
    id: name,
    runtimeName: 'process',
    data: {
      spawnId,
      stateDir,
      host: record.host,
      agent: record.agent ?? undefined,
      socket: record.socket ?? undefined,
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
  addRecord(target, { host: text(data.host), agent: text(data.agent), socket: text(data.socket) })
  // The host's own file knows more than a handle found while the host was starting, and is more reliable than a record that
  // may have been edited: messages go where the host of this very start listens.
  const record = readLaunch(stateDir, spawnId)
  if (record !== null) addRecord(target, record)
  return target
}

function addRecord(
  target: ProcessHandle,
  record: { host: string | null; agent: string | null; socket?: string | null | undefined },
): void {
  const host = parseIdentity(record.host ?? '')
  const agent = parseIdentity(record.agent ?? '')
  if (host) target.host = host
  if (agent) target.agent = agent
  if (record.socket != null) target.socket = record.socket
}

function text(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}
