// The agent's process, through the host beside it (src/host), which outlives us, over connections that come and go. Only the tail of
// its stderr is kept. An agent that runs elsewhere is read in the same way.
import type { ExitStatus } from '../../core/agh/session/classify-stop.ts'
import { findElsewhere } from '../../host/elsewhere.ts'
import { endHost } from '../../host/end.ts'
import { followHost } from '../../host/follow.ts'
import type { HostState } from '../../host/protocol.ts'
import type { HostEvents, Loss } from '../../host/read.ts'
import type { WaitingHost } from '../../host/start.ts'
import { createTailBuffer } from '../../host/tail-buffer.ts'
import { sleep } from '../../lib/clock.ts'
import { type ProcessIdentity, parseIdentity } from '../../lib/process/process-identity.ts'
import { removeTree } from '../../lib/remove.ts'
import { agentSource } from './agent-host.ts'

const STDERR_BYTES = 128 * 1024
const START_MS = 60_000
const CONNECT_MS = 2_000

export interface AgentProcess {
  /** null: it has ended, or it is not a process of this machine. */
  identity: ProcessIdentity | null
  /** What its host said when we came. */
  host: HostState
  /** Called once, before the output is let through. */
  listen(listener: OutputListener): void
  pause(): void
  resume(): void
  /** Resolves when the agent's pipe has it. With a key it is written once, whoever else sends it again. */
  write(bytes: Buffer, key?: string): Promise<void>
  /** Resolves when little is on its way to the agent, or when it has stopped reading. */
  drained(): Promise<void>
  endInput(): void
  /** Output before this offset was recorded, and these keys will not be sent again. */
  commit(to: number, forget?: readonly string[]): void
  /** The end of its stderr, and how many bytes it has written there so far. */
  stderr: { text(): string; readonly total: number }
  exit(): ExitStatus | null
  exited: Promise<ExitStatus>
  /** false: its host is being reached again, or was lost. */
  isConnected(): boolean
  /** How its host was lost for good; null: it was not. Unless it ended, the agent is not ours to end. */
  loss(): Loss | null
  /** Only of an agent elsewhere: ends all of its processes there. Resolves with those that could not be ended. */
  stop?: ((graceMs: number) => Promise<string[]>) | undefined
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
  /** Of the host. */
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
  const { directory, command, cwd, env, spawnId, keep } = options
  const report = await options.host.start({ directory, command, cwd, env, spawnId, keep }, START_MS)
  if (!report.ok) {
    removeTree(directory)
    throw Object.assign(new Error(report.message), { code: report.code })
  }
  return attachAgent(directory, 0, CONNECT_MS)
}

/** To an agent that was started elsewhere, and of which nothing was read yet. */
export function attachStarted(directory: string): Promise<AgentProcess> {
  return attachAgent(directory, 0, START_MS)
}

/** To the host in this directory, whoever started it. Rejects when it cannot be reached, or no longer has that offset. */
export async function attachAgent(directory: string, after: number, connectsWithinMs = 0): Promise<AgentProcess> {
  let listener: OutputListener | null = null
  let exit: ExitStatus | null = null
  let lost: Loss | null = null
  const tail = createTailBuffer(STDERR_BYTES)
  const stderr = { text: tail.text, total: 0 }
  const exited = Promise.withResolvers<ExitStatus>()
  const gone = Promise.withResolvers<void>()
  const events: HostEvents = {
    onOutput: (chunk, at) => listener?.onOutput(chunk, at),
    onError(chunk, count) {
      tail.push(chunk)
      stderr.total = count
    },
    onClosed: () => listener?.onEnd('the agent closed its output'),
    onExit(status) {
      exit = status
      exited.resolve(status)
    },
    onLost(why, loss) {
      lost = loss
      gone.resolve()
      listener?.onEnd(why)
    },
  }
  const isElsewhere = findElsewhere(directory) !== null
  const link = await followHost(agentSource(directory), after, events, { connectsWithinMs })
  const { state } = link
  return {
    identity: isElsewhere || state.agent === null ? null : parseIdentity(state.agent),
    host: state,
    listen(one) {
      listener = one
    },
    pause: link.pause,
    resume: link.resume,
    write: link.write,
    drained: link.drained,
    endInput: link.endInput,
    commit: link.commit,
    stderr,
    exit: () => exit,
    exited: exited.promise,
    isConnected: link.isConnected,
    loss: () => lost,
    stop: isElsewhere ? link.stop : undefined,
    async leave() {
      link.leave()
      if (!isElsewhere) await Promise.race([gone.promise, sleep(LEAVE_MS)])
      link.close()
      endHost(directory)
    },
    detach: link.close,
  }
}

const LEAVE_MS = 1_000
