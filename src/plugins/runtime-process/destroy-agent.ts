// Ends a session: the host is asked to, then whatever is left is found and killed.
import { rmSync } from 'node:fs'
import { parseIdentity } from '../../lib/process/process-identity.ts'
import { notStopped, stopProcesses } from '../../lib/process/process-tree.ts'
import type { DestroyOptions } from '../../slots/runtime.ts'
import { askHost } from './host/host-client.ts'
import { readState, removeHostFiles, takeSpec } from './host/host-files.ts'
import type { ProcessHandle } from './process-handle.ts'

/** SIGKILL, its verification and a loaded machine, on top of the grace. */
const STOP_EXTRA_MS = 10_000

export async function destroyAgent(
  handle: ProcessHandle,
  { graceMs, onLeftRunning }: { graceMs: number } & Pick<DestroyOptions, 'onLeftRunning'>,
): Promise<void> {
  takeSpec(handle.stateDir, handle.spawnId)
  // From the host's own file, not from the handle: a handle is part of the record, which the agent can write.
  const state = readState(handle.stateDir, handle.spawnId)
  const socket = state?.socket ?? null
  const stopped = socket !== null && (await stopByHost(socket, graceMs))
  const recorded = [state?.agent, state?.host].flatMap((text) => (text ? (parseIdentity(text) ?? []) : []))
  const { left, unproven } = await stopProcesses(handle.spawnId, recorded, {
    graceMs: stopped ? 0 : graceMs,
    workspacePath: handle.workspacePath,
  })
  if (unproven.length > 0) onLeftRunning?.(unproven)
  if (left.length > 0) throw notStopped(handle.name, left)
  if (socket !== null) rmSync(socket, { force: true })
  removeHostFiles(handle.stateDir, handle.spawnId)
}

async function stopByHost(socket: string, graceMs: number): Promise<boolean> {
  const reply = await askHost(socket, { op: 'stop', graceMs }, graceMs + STOP_EXTRA_MS)
  return reply.kind === 'answer' && reply.answer.ok
}
