// Starts and ends an agent under its own host, and finds one whose creator died before it could record the handle.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { AoError } from '../../contract/errors.ts'
import type { RuntimeHandle } from '../../contract/session.ts'
import { withoutCallersTerminal } from '../../core/text/terminal-variables.ts'
import { askHost } from '../../host/client.ts'
import { type HostRecord, hostDirectory } from '../../host/files.ts'
import { preventLaunch, readLaunch, readLaunches, removeLaunch } from '../../host/launches.ts'
import { chooseSocketPath } from '../../host/socket-path.ts'
import { openHost } from '../../host/start.ts'
import { mayBeAlive, parseIdentity } from '../../lib/process/process-identity.ts'
import { notStopped, stopProcesses } from '../../lib/process/process-tree.ts'
import { removeFile } from '../../lib/remove.ts'
import { recordsTerminals } from '../../lib/terminal/records-terminals.ts'
import type { PluginContext } from '../../slots/plugin.ts'
import type { DestroyOptions, RuntimeLaunch } from '../../slots/runtime.ts'
import type { ProcessHandle } from './process-handle.ts'
import { makeHandle, readHandle } from './process-handle.ts'

const START_TIMEOUT_MS = 15_000

export async function createAgent(context: PluginContext, launch: RuntimeLaunch): Promise<RuntimeHandle> {
  const { name, spawnId, stateDir, workspacePath } = launch
  mkdirSync(stateDir, { recursive: true, mode: 0o700 })
  const running = forgetEnded(stateDir)
  const same = running.find((record) => record.spawnId === spawnId)
  if (same !== undefined) return makeHandle(launch, same)
  if (running.length > 0) {
    throw new AoError('RUNTIME_FAILED', `${name} runs already, started by another launch`, { details: { name } })
  }
  const socket = chooseSocketPath({ home: context.home, env: context.env, key: `${name} ${spawnId}` })
  const { command, cols = 120, rows = 40 } = launch
  const env = withoutCallersTerminal(launch.environment, workspacePath)
  const recording = recordsTerminals(context.env) ? stateDir : null
  const terminal = { socket, cols, rows, recording }
  const directory = hostDirectory(stateDir, spawnId)
  const spec = { directory, name, spawnId, command, cwd: workspacePath, env, terminal }
  const report = await openHost(context.env, join(stateDir, 'host.log')).start(spec, START_TIMEOUT_MS)
  const record = readLaunch(stateDir, spawnId)
  if (report.ok && record !== null) return makeHandle(launch, record)
  await rollBack(launch, socket)
  const why = report.ok ? 'its host left no record' : report.message
  throw new AoError('RUNTIME_FAILED', `The agent of ${launch.sessionId} could not be started: ${why}`, {
    details: { name, command: launch.command[0] ?? null },
  })
}

/** null is a promise: nothing of this launch is running, and nothing of it will start later. */
export function findAgent(launch: { name: string; spawnId: string; stateDir: string }): RuntimeHandle | null {
  // Before the record is read: a host that is too late for its launch ends without an agent.
  preventLaunch(launch.stateDir, launch.spawnId)
  const record = readLaunch(launch.stateDir, launch.spawnId)
  return record === null ? null : makeHandle(launch, record)
}

/** The launches that are still running here; the files of earlier ones are removed. */
function forgetEnded(stateDir: string): HostRecord[] {
  const records = readLaunches(stateDir)
  const running = records.filter(isRunning)
  for (const record of records) if (!running.includes(record)) removeLaunch(stateDir, record.spawnId)
  return running
}

function isRunning({ host, agent }: HostRecord): boolean {
  return [host, agent].some((text) => text !== null && mayBeAlive(text))
}

async function rollBack(launch: RuntimeLaunch, socket: string): Promise<void> {
  const { name, spawnId, stateDir, workspacePath } = launch
  const found = findAgent(launch)
  const handle = found ? readHandle(found) : null
  await destroyAgent(handle ?? { name, spawnId, stateDir, workspacePath }, { graceMs: 0 })
  removeFile(socket)
}

/** SIGKILL, its verification and a loaded machine, on top of the grace. */
const STOP_EXTRA_MS = 10_000

/** The host is asked to, then whatever is left is found and killed. */
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
  if (socket !== null) removeFile(socket)
  removeLaunch(handle.stateDir, handle.spawnId)
}

/** false: it may not have been. */
function stopByHost(socket: string, graceMs: number): Promise<boolean> {
  return askHost(socket, graceMs + STOP_EXTRA_MS, (client) => client.stop(graceMs)).then(
    () => true,
    () => false,
  )
}
