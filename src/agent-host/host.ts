// The program beside one agent: owns its pipes, keeps what it writes until a reader has recorded it, and writes to it what
// readers send. Started detached; outlives its readers. It gets a HostSpec as JSON on stdin, up to its end, and says one line of
// HostReport on file descriptor 3. Bundled as one file without dependencies: dist/agent-host.cjs.
import { closeSync, existsSync, rmSync, writeSync } from 'node:fs'
import { errorText } from '../contract/errors.ts'
import { currentProcess, formatIdentity } from '../lib/process/process-identity.ts'
import { stopProcesses } from '../lib/process/process-tree.ts'
import { type AgentSpec, type HostedAgent, startAgent } from './agent.ts'
import { type ExitRecord, hostSocket, recordFile, writeExitRecord, writeHostRecord } from './host-files.ts'
import type { HostFrame } from './protocol.ts'
import { type Readers, serveReaders } from './serve-readers.ts'
import { createSpool, type SpoolLimits } from './spool.ts'

export interface HostSpec extends AgentSpec {
  /** Its own, private and empty. */
  directory: string
  /** Given back to every reader, and kept in memory only: the place for secrets. */
  keep: unknown
  limits?: SpoolLimits | undefined
  /** A directory that gets a copy of the exit: its owner may look later than the reader whose `leave` removes ours. */
  exitCopy?: string | undefined
}

export type HostReport =
  | { ok: true; host: string; agent: string | null }
  | { ok: false; message: string; code: string | null }

const REPORT_FD = 3
/** Children of an ended agent may hold its output open; its exit is reported without them then. */
const EXIT_WAITS_MS = 250
/** How long an agent may take to end when nobody can reach it. */
const GRACE_MS = 2_000
const CHECK_MS = 10_000
const CHECK_ENDED_MS = 500

async function runHost(): Promise<void> {
  const text = await readAll(process.stdin)
  // Nobody needed it.
  if (text === '') return
  try {
    report({ ok: true, ...(await host(JSON.parse(text) as HostSpec)) })
  } catch (error) {
    report({ ok: false, message: errorText(error), code: (error as NodeJS.ErrnoException).code ?? null })
    process.exit(1)
  }
}

async function host(spec: HostSpec): Promise<{ host: string; agent: string | null }> {
  const own = formatIdentity(currentProcess())
  const { directory, spawnId, keep } = spec
  writeHostRecord(directory, { spawnId, host: own, agent: null })
  const spool = createSpool(directory, spec.limits)
  const endings: Array<{ at: number; frame: HostFrame }> = []
  let readers: Readers | null = null
  let exitTimer: NodeJS.Timeout | null = null
  const end = (frame: HostFrame, at: number) => {
    if (!endings.some((one) => one.frame.op === frame.op)) endings.push({ at, frame })
    readers?.pump()
  }
  const noteEnd = () => {
    const [closedAt, exit] = [agent.closedAt(), agent.exit()]
    if (closedAt !== null) end({ op: 'closed', at: closedAt }, closedAt)
    if (exit === null) return
    if (exitTimer === null) recordExit(spec, { spawnId, ...exit, at: new Date().toISOString() })
    const reportExit = (at: number) => end({ op: 'exit', ...exit }, at)
    exitTimer ??= setTimeout(() => reportExit(spool.end()), EXIT_WAITS_MS)
    if (closedAt !== null) reportExit(closedAt)
  }
  const agent = await startAgent(spec, spool, {
    isAhead: () => readers?.isBehind() ?? false,
    onOutput: (chunk, at) => readers?.pump(chunk, at),
    onError: (chunk) => readers?.sendError(chunk, agent.stderr.total()),
    onEnd: noteEnd,
  })
  const identity = agent.identity && formatIdentity(agent.identity)
  writeHostRecord(directory, { spawnId, host: own, agent: identity })
  const stop = (graceMs: number) => stopAgent(spawnId, agent, graceMs)
  const leave = () => {
    if (agent.exit() !== null) removeAndExit(directory)
  }
  try {
    readers = await serveReaders(hostSocket(directory), {
      spool,
      state: () => ({
        spawnId,
        host: own,
        agent: identity,
        taken: agent.inbox.taken(),
        stderr: { total: agent.stderr.total(), tail: agent.stderr.text() },
        exit: agent.exit(),
        keep,
      }),
      write: agent.inbox.write,
      forget: agent.inbox.forget,
      onRoom: agent.readOn,
      endInput: agent.inbox.end,
      stop,
      leave,
      endings: () => endings,
    })
  } catch (error) {
    await stop(0)
    throw error
  }
  const leaveForGood = () => void stop(GRACE_MS).then(() => process.exit(0))
  watchDirectory(directory, () => (agent.exit() === null ? CHECK_MS : CHECK_ENDED_MS), leaveForGood)
  process.on('SIGTERM', () => void stop(GRACE_MS))
  // A closed terminal somewhere is no reason for the agent to end.
  for (const name of ['SIGINT', 'SIGHUP'] as const) process.on(name, () => undefined)
  return { host: own, agent: identity }
}

async function stopAgent(spawnId: string, { identity }: HostedAgent, graceMs: number): Promise<string[]> {
  const { left } = await stopProcesses(spawnId, identity === null ? [] : [identity], { graceMs })
  return left.map(formatIdentity)
}

/** On a full disk only the readers learn of it. */
function recordExit({ directory, exitCopy }: HostSpec, record: ExitRecord): void {
  try {
    if (exitCopy !== undefined) writeExitRecord(exitCopy, record)
    writeExitRecord(directory, record)
  } catch (error) {
    console.error(`the exit of the agent was not written: ${errorText(error)}`)
  }
}

function removeAndExit(directory: string): void {
  try {
    rmSync(directory, { recursive: true, force: true })
  } finally {
    process.exit(0)
  }
}

/** Without its directory nobody can ever reach the host again, nor the agent. */
function watchDirectory(directory: string, interval: () => number, onGone: () => void): void {
  let missing = 0
  let lastMs = performance.now()
  setInterval(() => {
    if (performance.now() - lastMs < interval()) return
    lastMs = performance.now()
    missing = existsSync(recordFile(directory)) ? 0 : missing + 1
    if (missing === 2) onGone()
  }, CHECK_ENDED_MS)
}

function report(said: HostReport): void {
  try {
    writeSync(REPORT_FD, `${JSON.stringify(said)}\n`)
    closeSync(REPORT_FD)
  } catch {
    // The starter is gone. The record informs the next one.
  }
}

async function readAll(stream: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}

void runHost()
