// Ends a session: the host is asked to, then whatever is left is found and killed.
import { rmSync } from 'node:fs'
import { askHost } from '../../host/client.ts'
import { preventLaunch, readLaunch, removeLaunch } from '../../host/launches.ts'
import { parseIdentity } from '../../lib/process/process-identity.ts'
import { notStopped, stopProcesses } from '../../lib/process/process-tree.ts'
import type { DestroyOptions } from '../../slots/runtime.ts'
import type { ProcessHandle } from './process-handle.ts'

/** SIGKILL, its verification and a loaded machine, on top of the grace. */
const STOP_EXTRA_MS = 10_000

export async function destroyAgent(
  handle: ProcessHandle,
  { graceMs, onLeftRunning }: { graceMs: number } & Pick<DestroyOptions, 'onLeftRunning'>,
): Promise<void> {
  preventLaunch(handle.stateDir, handle.spawnId)
  // From the host's own file, not from the handle: a handle is part of the record, which the agent can write.
  const record = readLaunch(handle.stateDir, handle.spawnId)
  const socket = record?.socket ?? null
  const stopped = socket !== null && (await stopByHost(socket, graceMs))
  const recorded = [record?.agent, record?.host].flatMap((text) => (text ? (parseIdentity(text) ?? []) : []))
  const { left, unproven } = await stopProcesses(handle.spawnId, recorded, {
    graceMs: stopped ? 0 : graceMs,
    workspacePath: handle.workspacePath,
  })
  if (unproven.length > 0) onLeftRunning?.(unproven)
  if (left.length > 0) throw notStopped(handle.name, left)
  if (socket !== null) rmSync(socket, { force: true })
  removeLaunch(handle.stateDir, handle.spawnId)
}

/** false: it may not have been. */
function stopByHost(socket: string, graceMs: number): Promise<boolean> {
  return askHost(socket, graceMs + STOP_EXTRA_MS, (client) => client.stop(graceMs)).then(
    () => true,
    () => false,
  )
}
