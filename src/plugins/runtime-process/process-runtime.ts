// The process runtime: needs no tmux. Each agent has a small host process that keeps its terminal.

import { join } from 'node:path'
import { AoError, errorText } from '../../contract/errors.ts'
import { shownName } from '../../contract/ids.ts'
import type { RuntimeHandle } from '../../contract/session.ts'
import { askHost, type HostClient, NoHostError, openClient } from '../../host/client.ts'
import { hostHands } from '../../host/hands.ts'
import { readExit } from '../../host/launches.ts'
import { MAX_MESSAGE_BYTES } from '../../host/protocol.ts'
import { socketDirectories } from '../../host/socket-path.ts'
import { hostProgram } from '../../host/start.ts'
import { namesIn } from '../../lib/plain-file.ts'
import { isInLineMode } from '../../lib/process/line-mode.ts'
import { type ProcessIdentity, type ProcessState, processState } from '../../lib/process/process-identity.ts'
import { pressInto, typeMessage } from '../../lib/terminal/type-message.ts'
import type { PluginContext } from '../../slots/plugin.ts'
import type { RuntimeWatch } from '../../slots/runtime.ts'
import { type AttachInfo, isKnownAlive, type Liveness, type Runtime } from '../../slots/runtime.ts'
import { createAgent, destroyAgent, findAgent } from './create-agent.ts'
import { openTerminal } from './open-terminal.ts'
import { type ProcessHandle, readHandle } from './process-handle.ts'

interface ProcessOptions {
  graceMs: number
}

const OUTPUT_TIMEOUT_MS = 1_900
const DEFAULT_LINES = 200

export function createProcessRuntime(options: ProcessOptions, context: PluginContext): Runtime {
  return {
    name: 'process',
    maxMessageBytes: MAX_MESSAGE_BYTES,
    create: (launch) => createAgent(context, launch),
    find: async (launch) => findAgent(launch),
    destroy: async (handle, { force = false, onLeftRunning } = {}) =>
      destroyAgent(required(handle), { graceMs: force ? 0 : options.graceMs, onLeftRunning }),
    sendMessage: async (handle, text, how) => typeMessage(context.home, hostHands(required(handle)), text, how),
    pressKeys: async (handle, keys, check) => pressInto(context.home, hostHands(required(handle)), keys, check),
    getOutput: async (handle, lines) => lastScreen(readHandle(handle), lines),
    getStyledScreen: async (handle) => styledScreen(readHandle(handle)),
    isInLineMode: (handle) => isInLineMode(readHandle(handle)?.agent),
    isAlive: async (handle) => isKnownAlive(handle, judge(handle)),
    probe: async (handles) => new Map(handles.map((handle) => [handle.id, judge(handle)])),
    getAttachInfo: async (handle) => attachInfo(required(handle)),
    watch: watchAgents,
    openTerminal: async (handle, viewer) => openTerminal(required(handle), viewer),
    listNames: () => listHostedNames(context),
  }
}

function required(handle: RuntimeHandle): ProcessHandle {
  const target = readHandle(handle)
  if (target === null)
    throw new AoError('RUNTIME_FAILED', `${shownName(handle.id)} has no usable handle of the process runtime`)
  return target
}

function judge(handle: RuntimeHandle): Liveness {
  const target = readHandle(handle)
  return target === null ? { state: 'unknown', why: 'the handle says nothing of a process' } : judgeAgent(target)
}

/** From the host's files and the identities of host and agent; no process is started for it. */
function judgeAgent(handle: ProcessHandle): Liveness {
  try {
    const agent = stateOf(handle.agent)
    const host = stateOf(handle.host)
    // Read last: an end recorded in the meantime is still seen.
    const exit = readExit(handle.stateDir, handle.spawnId)
    if (exit) {
      const how = exit.signal ?? `exit code ${exit.code}`
      return { state: 'dead', exitCode: exit.code, signal: exit.signal, why: `the agent ended: ${how}` }
    }
    if (agent === 'alive' && host === 'alive') return { state: 'alive', pid: handle.agent!.pid }
    if (agent === 'dead' && host === 'dead') {
      return { state: 'dead', exitCode: null, signal: null, why: 'neither the agent nor its host is running' }
    }
    return { state: 'unknown', why: `the agent is ${agent}, its host is ${host}` }
  } catch (error) {
    return { state: 'unknown', why: errorText(error) }
  }
}

/** A process that was never identified ended before anyone could look. */
function stateOf(identity: ProcessIdentity | undefined): ProcessState {
  return identity === undefined ? 'dead' : processState(identity)
}

/** Also of an agent that has ended: its last output says why. */
export async function lastScreen(handle: ProcessHandle | null, lines = DEFAULT_LINES): Promise<string> {
  if (handle === null) return ''
  try {
    const { socket, stateDir, spawnId } = handle
    const drawn = socket === undefined ? null : await askScreen(socket, { lines })
    return drawn ?? readExit(stateDir, spawnId)?.screen?.split('\n').slice(-lines).join('\n') ?? ''
  } catch {
    // An unreadable screen is empty; whether the agent is alive is for the probe to say.
    return ''
  }
}

export async function styledScreen(handle: ProcessHandle | null): Promise<string> {
  return (handle?.socket && (await askScreen(handle.socket, { styled: true }))) || ''
}

/** null: it could not be read. */
function askScreen(socket: string, what: { lines?: number; styled?: boolean }): Promise<string | null> {
  return askHost(socket, OUTPUT_TIMEOUT_MS, (client) => client.screen(what)).catch(() => null)
}

export function attachInfo({ name, socket }: Pick<ProcessHandle, 'name' | 'socket'>): AttachInfo {
  if (socket === undefined) throw new AoError('SESSION_NOT_RUNNING', `${shownName(name)} has no terminal to attach to`)
  const command = [process.execPath, hostProgram(), 'attach', socket, name]
  return { type: 'process', target: name, command, readOnlyCommand: [...command, '--read-only'] }
}

const STATUS_TIMEOUT_MS = 1_900

/**
 * Everything that this user's hosts are running. Throws when a host exists but does not answer: the list would be
 * incomplete.
 */
async function listHostedNames(where: { home: string; env: NodeJS.ProcessEnv }): Promise<string[]> {
  const sockets = socketDirectories(where).flatMap(socketsIn)
  const names = await Promise.all(sockets.map(nameOf))
  return names.filter((name) => name !== null).toSorted()
}

async function nameOf(socket: string): Promise<string | null> {
  try {
    return await askHost(socket, STATUS_TIMEOUT_MS, async ({ state }) => state.name ?? null)
  } catch (error) {
    // The host was killed and left its socket.
    if (error instanceof NoHostError) return null
    throw new AoError('RUNTIME_FAILED', `The host behind ${socket} does not answer`, { cause: error })
  }
}

function socketsIn(directory: string): string[] {
  return namesIn(directory)
    .filter((name) => name.endsWith('.sock'))
    .map((name) => join(directory, name))
}

/** By then an end is recorded. */
const AGAIN_MS = 1_000

/** Reports ended agents as they end: each host keeps one quiet connection open until then. */
function watchAgents(onChange: (names: string[]) => void): RuntimeWatch {
  const watched = new Map<string, Promise<HostClient | null>>()
  const drop = async (client: Promise<HostClient | null>) => (await client)?.drop('nobody is interested')
  return {
    follow(handles) {
      const wanted = new Map(
        handles.flatMap((handle) => {
          const target = readHandle(handle)
          return target?.socket === undefined ? [] : [[target.socket, target] as const]
        }),
      )
      for (const [path, client] of watched) {
        if (wanted.has(path)) continue
        watched.delete(path)
        void drop(client)
      }
      for (const [path, handle] of wanted) if (!watched.has(path)) watched.set(path, awaitEnd(path, handle))
    },
    close() {
      for (const client of watched.values()) void drop(client)
      watched.clear()
    },
  }

  /** The end of the connection, however it happens, is the signal: even a killed host closes it. */
  function awaitEnd(path: string, handle: ProcessHandle): Promise<HostClient | null> {
    // Dropped by us: nobody is interested. Otherwise it stays in the map, so that an end is reported once.
    const report = () => {
      if (!watched.has(path)) return null
      onChange([handle.name])
      setTimeout(forgetIfAlive, AGAIN_MS).unref()
      return null
    }
    // Its connection broke, not its agent: whoever still follows it gets a new one.
    const forgetIfAlive = () => {
      if (watched.get(path) === client && judgeAgent(handle).state === 'alive') watched.delete(path)
    }
    const client: Promise<HostClient | null> = openClient(path, { onLost: report }).catch(report)
    return client
  }
}
