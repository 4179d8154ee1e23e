// The process runtime: no tmux needed. Each agent has a small host process that keeps its terminal.
import { AoError } from '../../contract/errors.ts'
import { shownName } from '../../contract/ids.ts'
import type { RuntimeHandle } from '../../contract/session.ts'
import { neutralisePaste } from '../../core/prompt/paste-text.ts'
import type { PluginContext } from '../../slots/plugin.ts'
import type { AttachInfo, Liveness, Runtime } from '../../slots/runtime.ts'
import { createAgent, findAgent } from './create-agent.ts'
import { destroyAgent } from './destroy-agent.ts'
import { askHost } from './host/host-client.ts'
import { readExit } from './host/host-files.ts'
import { MAX_MESSAGE_BYTES } from './host/host-protocol.ts'
import { hostProgram } from './host/start-host.ts'
import { judgeAgent } from './judge-agent.ts'
import { listHostedNames } from './list-hosted-names.ts'
import { openTerminal } from './open-terminal.ts'
import { type ProcessHandle, readHandle } from './process-handle.ts'
import { watchAgents } from './watch-agents.ts'

export interface ProcessOptions {
  graceMs: number
}

const OUTPUT_TIMEOUT_MS = 1_900
/** Others may be in the queue before it, and a restless screen makes each of them slow. */
const SEND_TIMEOUT_MS = 60_000
const DEFAULT_LINES = 200

export function createProcessRuntime(options: ProcessOptions, context: PluginContext): Runtime {
  return {
    name: 'process',
    maxMessageBytes: MAX_MESSAGE_BYTES,
    create: (launch) => createAgent(context, launch),
    find: async (launch) => findAgent(launch),
    destroy: async (handle, { force = false, onLeftRunning } = {}) =>
      destroyAgent(required(handle), { graceMs: force ? 0 : options.graceMs, onLeftRunning }),
    sendMessage: async (handle, text) => send(required(handle), text),
    getOutput: (handle, lines = DEFAULT_LINES) => readScreen(handle, lines),
    async isAlive(handle) {
      const liveness = judge(handle)
      if (liveness.state === 'unknown') {
        throw new AoError(
          'RUNTIME_FAILED',
          `Whether ${shownName(handle.id)} is alive could not be found out: ${liveness.why}`,
        )
      }
      return liveness.state === 'alive'
    },
    probe: async (handles) => new Map(handles.map((handle) => [handle.id, judge(handle)])),
    getAttachInfo: async (handle) => attachInfo(required(handle)),
    watch: watchAgents,
    openTerminal: async (handle, viewer) => openTerminal(required(handle), viewer),
    listNames: () => listHostedNames(context),
  }
}

function required(handle: RuntimeHandle): ProcessHandle {
  const known = readHandle(handle)
  if (known === null)
    throw new AoError('RUNTIME_FAILED', `${shownName(handle.id)} has no usable handle of the process runtime`)
  return known
}

function judge(handle: RuntimeHandle): Liveness {
  const known = readHandle(handle)
  return known === null ? { state: 'unknown', why: 'the handle says nothing of a process' } : judgeAgent(known)
}

async function send(handle: ProcessHandle, text: string): Promise<void> {
  if (neutralisePaste(text) === '') throw new AoError('USAGE', 'The message is empty')
  if (handle.socket === undefined) throw notSent(handle, 'its host was never ready', false)
  const reply = await askHost(handle.socket, { op: 'send', text }, SEND_TIMEOUT_MS)
  if (reply.kind === 'no-host') throw notSent(handle, 'nothing of it runs any more', false)
  if (reply.kind === 'unknown') throw notSent(handle, reply.why, null)
  if (!reply.answer.ok) throw notSent(handle, reply.answer.error, reply.answer.pasted ?? false)
}

/** `pasted`: did the text reach the terminal? null: that is not known, so it must not be sent again blindly. */
function notSent(handle: ProcessHandle, why: string, pasted: boolean | null): AoError {
  const what = pasted === true ? 'was entered but not submitted' : 'was not handed over'
  return new AoError('RUNTIME_FAILED', `The message to ${shownName(handle.name)} ${what}: ${why}`, {
    details: { name: handle.name, pasted },
  })
}

/** Also of an agent that has ended: its last words say why. */
async function readScreen(handle: RuntimeHandle, lines: number): Promise<string> {
  try {
    const { socket, stateDir, spawnId } = required(handle)
    const reply = socket === undefined ? null : await askHost(socket, { op: 'output', lines }, OUTPUT_TIMEOUT_MS)
    if (reply?.kind === 'answer' && reply.answer.ok) return reply.answer.text ?? ''
    return readExit(stateDir, spawnId)?.screen.split('\n').slice(-lines).join('\n') ?? ''
  } catch {
    // A screen that cannot be read is an empty one; whether the agent lives is the probe's to say.
    return ''
  }
}

function attachInfo(handle: ProcessHandle): AttachInfo {
  if (handle.socket === undefined)
    throw new AoError('SESSION_NOT_RUNNING', `${shownName(handle.name)} has no terminal to attach to`)
  const command = [process.execPath, hostProgram(), 'attach', handle.socket, handle.name]
  return { type: 'process', target: handle.name, command, readOnlyCommand: [...command, '--read-only'] }
}
