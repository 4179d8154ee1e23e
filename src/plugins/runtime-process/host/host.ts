// The process around one agent: owns its terminal, answers on a socket, and records how it ended. Started detached by the
// process runtime, which it outlives. Also the client that attaches a person: `host attach <socket> <name> [--read-only]`.
import { closeSync, rmSync, statSync, writeSync } from 'node:fs'
import type { Server } from 'node:net'
import { errorText } from '../../../contract/errors.ts'
import { findExecutable } from '../../../lib/find-executable.ts'
import { currentProcess, formatIdentity, identify } from '../../../lib/process/process-identity.ts'
import { stopProcesses } from '../../../lib/process/process-tree.ts'
import { startAgent } from '../agent-terminal.ts'
import { type HostSpec, removeHostFiles, takeSpec, writeExit, writeState } from './host-files.ts'
import { listen } from './host-server.ts'
import { recordAgent } from './record-agent.ts'

/** The creator reads one line from here; after that neither needs the other. */
const REPORT_FD = 3

export type HostReport = { ok: true } | { ok: false; message: string }

async function runHost(stateDir: string, spawnId: string): Promise<void> {
  const host = formatIdentity(currentProcess())
  // Written before the launch is claimed: an observer finds either the launch or us.
  writeState(stateDir, { spawnId, host, agent: null, socket: null })
  const spec = takeSpec(stateDir, spawnId)
  // Claimed by somebody who believed that we never started: then nothing must start.
  if (spec === null) {
    removeHostFiles(stateDir, spawnId)
    return
  }
  try {
    await hostAgent(stateDir, spec, host)
    report({ ok: true })
  } catch (error) {
    rmSync(spec.socket, { force: true })
    report({ ok: false, message: errorText(error) })
    process.exitCode = 1
  }
}

async function hostAgent(stateDir: string, spec: HostSpec, host: string): Promise<void> {
  const { spawnId, socket } = spec
  refuseImpossible(spec)
  const agent = await startAgent(spec)
  const recorder = spec.isRecorded ? recordAgent(stateDir, spec, agent) : null
  const identity = identify(agent.pid)
  const endProcesses = (graceMs: number) => stopProcesses(spawnId, identity === null ? [] : [identity], { graceMs })
  writeState(stateDir, { spawnId, host, agent: identity && formatIdentity(identity), socket })

  const stop = async (graceMs: number) => {
    await endProcesses(graceMs)
    await over
  }
  const server = await listen(socket, { name: spec.name, agent, stop }).catch(async (error) => {
    await endProcesses(0)
    throw error
  })
  const over = agent.ended.then(async (end) => {
    writeExit(stateDir, { spawnId, ...end, at: new Date().toISOString(), screen: agent.screen.text(LAST_LINES) })
    await recorder?.end(end.signal ?? `exit code ${end.exitCode}`)
    leave(server, socket)
  })
  onSignals(() => void stop(0))
}

const LAST_LINES = 200

/** What fork and exec would only report through an exit code. */
function refuseImpossible(spec: HostSpec): void {
  const { command, environment, workspacePath } = spec
  if (!statSync(workspacePath, { throwIfNoEntry: false })?.isDirectory()) {
    throw new Error(`the workspace ${workspacePath} is not a directory`)
  }
  if (findExecutable(command[0] ?? '', { env: environment, cwd: workspacePath }) === null) {
    throw new Error(`the command ${command[0] ?? '(none)'} was not found`)
  }
}

/** Exits once pending responses are sent, or soon in any case. */
function leave(server: Server, socket: string): void {
  server.close()
  rmSync(socket, { force: true })
  setTimeout(() => process.exit(0), 200).unref()
}

function report(said: HostReport): void {
  try {
    writeSync(REPORT_FD, `${JSON.stringify(said)}\n`)
    closeSync(REPORT_FD)
  } catch {
    // The creator is gone. The state file informs the next one.
  }
}

function onSignals(stop: () => void): void {
  process.on('SIGTERM', stop)
  // A closed terminal somewhere is no reason for the agent to end.
  process.on('SIGHUP', () => undefined)
  process.on('SIGINT', () => undefined)
}

const [mode, ...rest] = process.argv.slice(2)
if (mode === 'attach') {
  const { attachTerminal } = await import('../attach-terminal.ts')
  const [socketPath = '', name = '', flag] = rest
  process.exitCode = await attachTerminal({ socketPath, name, readOnly: flag === '--read-only' })
} else if (mode === 'host') {
  await runHost(rest[0] ?? '', rest[1] ?? '')
}
