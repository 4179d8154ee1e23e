// The program beside one agent: owns its pipes or its terminal, serves whoever connects, and records how it ended. Started detached;
// outlives whoever started it. It gets a HostSpec as JSON on stdin, up to its end, and reports one line of HostReport on file
// descriptor 3. Bundled as one file: dist/host.cjs. Also what connects a person: `host attach <socket> <name> [--read-only]`.
import { existsSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { errorText } from '../contract/errors.ts'
import { sleep } from '../lib/clock.ts'
import { writeReport } from '../lib/process/detached-host.ts'
import { currentProcess, formatIdentity } from '../lib/process/process-identity.ts'
import { SPAWN_MARKER, stopProcesses } from '../lib/process/process-tree.ts'
import { removeFile, removeTree } from '../lib/remove.ts'
import { type ExitRecord, hostSocket, recordFile, takeLaunch, writeExitRecord, writeHostRecord } from './files.ts'
import type { AgentIo } from './io/agent-io.ts'
import { startPipes } from './io/pipes.ts'
import { createReaders, listenPrivately } from './serve.ts'
import type { HostReport, HostSpec } from './spec.ts'

/** How long an agent may take to end when its host has to. */
const GRACE_MS = 2_000
/** How long the end of a stopped agent may take to be recorded. */
const RECORD_MS = 2_000
const RETRY_MS = 1_000
const CHECK_MS = 10_000
const CHECK_ENDED_MS = 500

async function runHost(): Promise<void> {
  const text = await readAll(process.stdin)
  // Nobody needed it.
  if (text === '') return
  const report = (value: HostReport) => writeReport(value)
  try {
    report({ ok: true, ...(await host(JSON.parse(text) as HostSpec)) })
  } catch (error) {
    report({ ok: false, message: errorText(error), code: (error as NodeJS.ErrnoException).code ?? null })
    process.exit(1)
  }
}

async function host(spec: HostSpec): Promise<{ host: string; agent: string | null }> {
  const { directory, spawnId, name, keep = null, terminal } = spec
  const own = formatIdentity(currentProcess())
  // Before the launch is claimed: an observer finds either the launch or us.
  writeHostRecord(directory, { spawnId, host: own, agent: null, socket: null })
  if (!takeLaunch(directory)) {
    removeTree(directory)
    throw new Error('its launch was withdrawn')
  }
  const io = await start({ ...spec, env: { ...spec.env, [SPAWN_MARKER]: spawnId } })
  const agent = io.identity && formatIdentity(io.identity)
  const socket = terminal?.socket ?? hostSocket(directory)
  writeHostRecord(directory, { spawnId, host: own, agent, socket: terminal?.socket })
  const recorded = io.ended.then(async (end) => {
    await recordExit(spec, { spawnId, ...end, at: new Date().toISOString() })
    return { code: end.code, signal: end.signal }
  })
  const stop = async (graceMs: number) => {
    const { left } = await stopProcesses(spawnId, io.identity === null ? [] : [io.identity], { graceMs })
    if (left.length === 0) await Promise.race([recorded, sleep(RECORD_MS)])
    return left.map(formatIdentity)
  }
  const leave = () => {
    if (io.exit() !== null) removeAndExit(directory)
  }
  const readers = createReaders({
    state: () => ({
      name,
      spawnId,
      host: own,
      agent,
      taken: io.inbox.taken(),
      stderr: io.stderr(),
      exit: io.exit(),
      keep,
    }),
    inbox: io.inbox,
    write: io.write,
    stop,
    ended: recorded,
    pipes: io.pipes && { ...io.pipes, leave },
    terminal: io.terminal,
  })
  io.serve(readers)
  const server = await listenPrivately(socket, createServer(readers.accept)).catch(async (error) => {
    await stop(0)
    removeFile(socket)
    throw error
  })
  // What a reader has to take is kept for it; a screen is in the record of the end.
  if (terminal) void recorded.then(() => close(server, socket))
  else watchDirectory(directory, io, () => void stop(GRACE_MS).then(() => process.exit(0)))
  process.on('SIGTERM', () => void stop(GRACE_MS))
  // A closed terminal somewhere is no reason for the agent to end.
  for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => undefined)
  return { host: own, agent }
}

/** What a terminal needs is loaded for terminals alone. */
async function start(spec: HostSpec): Promise<AgentIo> {
  if (!spec.terminal) return startPipes(spec)
  const { startTerminal } = await import('./io/terminal.ts')
  return startTerminal(spec, spec.terminal)
}

/** On a full disk until it succeeds; meanwhile nobody takes the agent for alive. */
async function recordExit({ directory }: HostSpec, record: ExitRecord): Promise<void> {
  for (let complaint = ''; existsSync(directory); ) {
    try {
      return writeExitRecord(directory, record)
    } catch (error) {
      const why = `the end of the agent cannot be recorded: ${errorText(error)}`
      if (why !== complaint) console.error(why)
      complaint = why
    }
    await sleep(RETRY_MS)
  }
}

function removeAndExit(directory: string): void {
  try {
    removeTree(directory)
  } finally {
    process.exit(0)
  }
}

/** Exits once pending responses are sent, or soon in any case. */
function close(server: Server, socket: string): void {
  server.close()
  removeFile(socket)
  setTimeout(() => process.exit(0), 200).unref()
}

/** Without its directory nobody can ever reach the host again, nor the agent. */
function watchDirectory(directory: string, io: AgentIo, onGone: () => void): void {
  let missing = 0
  let lastMs = performance.now()
  setInterval(() => {
    if (performance.now() - lastMs < (io.exit() === null ? CHECK_MS : CHECK_ENDED_MS)) return
    lastMs = performance.now()
    missing = existsSync(recordFile(directory)) ? 0 : missing + 1
    if (missing === 2) onGone()
  }, CHECK_ENDED_MS)
}

async function readAll(stream: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}

async function attach([socketPath = '', name = '', flag]: string[]): Promise<void> {
  const { attachTerminal } = await import('./attach.ts')
  process.exitCode = await attachTerminal({ socketPath, name, readOnly: flag === '--read-only' })
}

const [mode, ...rest] = process.argv.slice(2)
void (mode === 'attach' ? attach(rest) : runHost())
