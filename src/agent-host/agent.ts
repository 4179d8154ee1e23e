// The agent's process and its pipes: its output goes to the spool, its input comes from the inbox, and only the tail of its
// stderr is kept.
import type { ChildProcessByStdio } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import { identify, type ProcessIdentity } from '../lib/process/process-identity.ts'
import { SPAWN_MARKER } from '../lib/process/process-tree.ts'
import { startProgram } from '../lib/start-program.ts'
import { createInbox, type Inbox } from './inbox.ts'
import type { AgentExit } from './protocol.ts'
import type { Spool } from './spool.ts'
import { createTailBuffer, type TailBuffer } from './tail-buffer.ts'

export interface AgentSpec {
  /** In the environment of every process of the agent. */
  spawnId: string
  command: readonly string[]
  cwd: string
  env: NodeJS.ProcessEnv
}

export interface HostedAgent {
  identity: ProcessIdentity | null
  inbox: Inbox
  stderr: TailBuffer
  exit(): AgentExit | null
  /** The place where its output ended; null while it may still come. */
  closedAt(): number | null
  /** There may be room again: output was sent or committed, or its reader is gone. */
  readOn(): void
}

export interface AgentEvents {
  /** Whoever reads its output does not keep up. */
  isAhead(): boolean
  /** It is in the spool. */
  onOutput(chunk: Buffer, at: number): void
  onError(chunk: Buffer): void
  /** The output ended, or the agent did. */
  onEnd(): void
}

const STDERR_BYTES = 128 * 1024
const RETRY_MS = 200

/** Resolves once the program is running; rejects when it cannot be started. */
export function startAgent(spec: AgentSpec, spool: Spool, events: AgentEvents): Promise<HostedAgent> {
  const [file = '', ...args] = spec.command
  const child = startProgram(file, args, {
    cwd: spec.cwd,
    env: { ...spec.env, [SPAWN_MARKER]: spec.spawnId },
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  })
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('spawn', () => {
      child.off('error', reject)
      child.on('error', () => undefined)
      resolve(watch(child, spool, events))
    })
  })
}

function watch(
  child: ChildProcessByStdio<Writable, Readable, Readable>,
  spool: Spool,
  events: AgentEvents,
): HostedAgent {
  const stderr = createTailBuffer(STDERR_BYTES)
  let exit: AgentExit | null = null
  let closedAt: number | null = null
  const { stdout } = child
  const readOn = () => {
    if (spool.isFull() || events.isAhead()) stdout.pause()
    else if (stdout.isPaused()) stdout.resume()
  }
  const take = (chunk: Buffer) => {
    const at = spool.end()
    spool.append(chunk)
    events.onOutput(chunk, at)
    readOn()
    retryUntilWritten()
  }
  /** On a full disk the agent waits, unless a reader takes what it said. Nothing is lost. */
  const retryUntilWritten = () => {
    if (spool.retry()) readOn()
    else setTimeout(retryUntilWritten, RETRY_MS)
  }
  const close = () => {
    closedAt ??= spool.end()
    events.onEnd()
  }
  stdout.on('data', take)
  stdout.once('end', close)
  stdout.once('error', close)
  child.stderr.on('data', (chunk: Buffer) => {
    stderr.push(chunk)
    events.onError(chunk)
  })
  child.once('exit', (code, signal) => {
    exit = { code, signal }
    events.onEnd()
  })
  return {
    identity: child.pid === undefined ? null : identify(child.pid),
    inbox: createInbox(child.stdin),
    stderr,
    exit: () => exit,
    closedAt: () => closedAt,
    readOn,
  }
}
