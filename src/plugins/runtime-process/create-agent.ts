// Starts an agent under its own host, and finds one whose creator died before it could record the handle.
import { mkdirSync, rmSync } from 'node:fs'
import { AoError } from '../../contract/errors.ts'
import type { RuntimeHandle } from '../../contract/session.ts'
import { withoutCallersTerminal } from '../../core/text/terminal-variables.ts'
import { parseIdentity, processState } from '../../lib/process/process-identity.ts'
import type { PluginContext } from '../../slots/plugin.ts'
import type { RuntimeLaunch } from '../../slots/runtime.ts'
import { recordsTerminals } from '../../store/recording/records-terminals.ts'
import { destroyAgent } from './destroy-agent.ts'
import { type HostState, readAllStates, readState, removeHostFiles, takeSpec, writeSpec } from './host/host-files.ts'
import { chooseSocketPath } from './host/socket-path.ts'
import { startHost } from './host/start-host.ts'
import { makeHandle, readHandle } from './process-handle.ts'

const START_TIMEOUT_MS = 15_000

export async function createAgent(context: PluginContext, launch: RuntimeLaunch): Promise<RuntimeHandle> {
  const { name, spawnId, stateDir, workspacePath } = launch
  mkdirSync(stateDir, { recursive: true, mode: 0o700 })
  const running = forgetEnded(stateDir)
  const same = running.find((state) => state.spawnId === spawnId)
  if (same !== undefined) return makeHandle(launch, same)
  if (running.length > 0) {
    throw new AoError('RUNTIME_FAILED', `${name} runs already, started by another launch`, { details: { name } })
  }
  const socket = chooseSocketPath({ home: context.home, env: context.env, key: `${name} ${spawnId}` })
  writeSpec(stateDir, {
    name,
    spawnId,
    socket,
    command: launch.command,
    environment: withoutCallersTerminal(launch.environment, workspacePath),
    workspacePath,
    cols: launch.cols ?? 120,
    rows: launch.rows ?? 40,
    isRecorded: recordsTerminals(context.env),
  })
  const report = await startHost({ stateDir, spawnId, env: context.env, timeoutMs: START_TIMEOUT_MS })
  const state = readState(stateDir, spawnId)
  if (report.ok && state !== null) return makeHandle(launch, state)
  await rollBack(launch, socket)
  const why = report.ok ? 'its host left no state' : report.message
  throw new AoError('RUNTIME_FAILED', `The agent of ${launch.sessionId} could not be started: ${why}`, {
    details: { name, command: launch.command[0] ?? null },
  })
}

/** null is a promise: nothing of this launch is running, and nothing of it will start later. */
export function findAgent(launch: { name: string; spawnId: string; stateDir: string }): RuntimeHandle | null {
  // Before the state is read: a host that is too late for its launch ends without an agent.
  takeSpec(launch.stateDir, launch.spawnId)
  const state = readState(launch.stateDir, launch.spawnId)
  return state === null ? null : makeHandle(launch, state)
}

/** The launches that are still running here; the files of earlier ones are removed. */
function forgetEnded(stateDir: string): HostState[] {
  const states = readAllStates(stateDir)
  const running = states.filter(isRunning)
  for (const state of states) if (!running.includes(state)) removeHostFiles(stateDir, state.spawnId)
  return running
}

function isRunning(state: HostState): boolean {
  const identities = [state.host, state.agent].flatMap((text) => (text === null ? [] : (parseIdentity(text) ?? [])))
  return identities.some((one) => processState(one) !== 'dead')
}

async function rollBack(launch: RuntimeLaunch, socket: string): Promise<void> {
  const { name, spawnId, stateDir, workspacePath } = launch
  const found = findAgent(launch)
  const handle = found ? readHandle(found) : null
  await destroyAgent(handle ?? { name, spawnId, stateDir, workspacePath }, { graceMs: 0 })
  rmSync(socket, { force: true })
}
