// The agent's process: started in its own process session, with our marker in its environment; only the tail of its stderr
// is kept.
import type { ChildProcessByStdio } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import { createTailBuffer } from '../../agent-host/tail-buffer.ts'
import type { ExitStatus } from '../../core/agh/session/classify-stop.ts'
import { identify, type ProcessIdentity } from '../../lib/process/process-identity.ts'
import { SPAWN_MARKER } from '../../lib/process/process-tree.ts'
import { startProgram } from '../../lib/start-program.ts'

const STDERR_BYTES = 128 * 1024

export interface AgentProcess {
  child: ChildProcessByStdio<Writable, Readable, Readable>
  identity: ProcessIdentity | null
  stderr(): string
  /** Bytes written to stderr so far. */
  stderrTotal(): number
  exit(): ExitStatus | null
  exited: Promise<ExitStatus>
}

export interface LaunchOptions {
  command: readonly string[]
  cwd: string
  env: NodeJS.ProcessEnv
  spawnId: string
}

/** Resolves once the program is running; rejects when it cannot be started. */
export function launchAgent(options: LaunchOptions): Promise<AgentProcess> {
  const [file = '', ...args] = options.command
  const child = startProgram(file, args, {
    cwd: options.cwd,
    env: { ...options.env, [SPAWN_MARKER]: options.spawnId },
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  })
  // Writing to a process that has just ended fails here; its exit event carries the reason.
  child.stdin.on('error', () => undefined)
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('spawn', () => {
      child.off('error', reject)
      child.on('error', () => undefined)
      resolve(watch(child))
    })
  })
}

function watch(child: AgentProcess['child']): AgentProcess {
  const tail = createTailBuffer(STDERR_BYTES)
  child.stderr.on('data', (chunk: Buffer) => tail.push(chunk))
  let status: ExitStatus | null = null
  const exited = new Promise<ExitStatus>((resolve) => {
    child.once('exit', (code, signal) => {
      status = { code, signal }
      resolve(status)
    })
  })
  return {
    child,
    identity: child.pid === undefined ? null : identify(child.pid),
    stderr: tail.text,
    stderrTotal: tail.total,
    exit: () => status,
    exited,
  }
}
