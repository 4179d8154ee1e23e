// The agent's process, through the host beside it (src/host), which outlives us. Only the tail of its stderr is kept.
import { rmSync } from 'node:fs'
import type { ExitStatus } from '../../core/agh/session/classify-stop.ts'
import { endHost } from '../../host/end.ts'
import { hostDirectory, hostSocket } from '../../host/files.ts'
import type { HostState } from '../../host/protocol.ts'
import { connectHost, type HostLink, readHost } from '../../host/read.ts'
import type { WaitingHost } from '../../host/start.ts'
import { createTailBuffer } from '../../host/tail-buffer.ts'
import { sleep } from '../../lib/clock.ts'
import { type ProcessIdentity, parseIdentity } from '../../lib/process/process-identity.ts'

const STDERR_BYTES = 128 * 1024
const START_MS = 60_000
/** More than this on its way to the agent, and whoever writes waits. */
const MAX_UNWRITTEN = 64 * 1024

export interface AgentProcess {
  identity: ProcessIdentity | null
  /** What its host said when we came. */
  host: HostState
  /** Called once, before the output is let through. */
  listen(listener: OutputListener): void
  pause(): void
  resume(): void
  /** Resolves when the agent's pipe has it. With a key it is written once, whoever else sends it again. */
  write(bytes: Buffer, key?: string): Promise<void>
  /** Bytes on their way to the agent. */
  unwritten(): number
  /** Resolves when little is on its way to the agent, or when it has stopped reading. */
  drained(): Promise<void>
  endInput(): void
  /** Output before this offset was recorded, and these keys will not be sent again. */
  commit(to: number, forget?: readonly string[]): void
  stderr(): string
  /** Bytes written to stderr so far. */
  stderrTotal(): number
  exit(): ExitStatus | null
  exited: Promise<ExitStatus>
  /** Another reader took over, so the agent is no longer ours to end. */
  isReplaced(): boolean
  /** Its end was recorded: the host leaves. Resolves when nothing of it is left. */
  leave(): Promise<void>
  /** Leaves host and agent as they are, for the next daemon. */
  detach(): void
}

export interface OutputListener {
  onOutput(chunk: Buffer, at: number): void
  /** No more output will come. */
  onEnd(why: string): void
}

export interface LaunchOptions {
  /** Of the session; the host gets a directory of its own in it. */
  directory: string
  command: readonly string[]
  cwd: string
  env: NodeJS.ProcessEnv
  host: WaitingHost
  spawnId: string
  /** Kept by the host, in memory only, for whoever adopts the agent. */
  keep: unknown
}

/** Resolves once the program is running; rejects when it cannot be started. */
export async function launchAgent(options: LaunchOptions): Promise<AgentProcess> {
  const { command, cwd, env, spawnId, keep } = options
  const directory = hostDirectory(options.directory, spawnId)
  const report = await options.host.start({ directory, command, cwd, env, spawnId, keep }, START_MS)
  if (!report.ok) {
    rmSync(directory, { recursive: true, force: true })
    throw Object.assign(new Error(report.message), { code: report.code })
  }
  return attachAgent(directory, 0)
}

/** To the host in this directory, whoever started it. Rejects when it cannot be reached, or no longer has that offset. */
export async function attachAgent(directory: string, after: number): Promise<AgentProcess> {
  let listener: OutputListener | null = null
  let exit: ExitStatus | null = null
  let isReplaced = false
  const tail = createTailBuffer(STDERR_BYTES)
  let total = 0
  const exited = Promise.withResolvers<ExitStatus>()
  const gone = Promise.withResolvers<void>()
  const link: HostLink = await readHost(await connectHost(hostSocket(directory)), after, {
    onOutput: (chunk, at) => listener?.onOutput(chunk, at),
    onError(chunk, count) {
      tail.push(chunk)
      total = count
    },
    onClosed: () => listener?.onEnd('the agent closed its output'),
    onExit(status) {
      exit = status
      exited.resolve(status)
    },
    onLost(why, replaced) {
      isReplaced = replaced
      gone.resolve()
      listener?.onEnd(why)
    },
  })
  const { state } = link
  tail.push(Buffer.from(state.stderr.tail))
  total = state.stderr.total
  let last: Promise<unknown> = Promise.resolve()
  return {
    identity: state.agent === null ? null : parseIdentity(state.agent),
    host: state,
    listen(one) {
      listener = one
    },
    pause: link.pause,
    resume: link.resume,
    write(bytes, key) {
      const written = link.write(bytes, key)
      last = written.catch(() => undefined)
      return written
    },
    unwritten: link.unwritten,
    async drained() {
      if (link.unwritten() > MAX_UNWRITTEN) await last
    },
    endInput: link.endInput,
    commit: link.commit,
    stderr: tail.text,
    stderrTotal: () => total,
    exit: () => exit,
    exited: exited.promise,
    isReplaced: () => isReplaced,
    async leave() {
      link.leave()
      await Promise.race([gone.promise, sleep(LEAVE_MS)])
      link.close()
      endHost(directory)
    },
    detach: link.close,
  }
}

const LEAVE_MS = 1_000
