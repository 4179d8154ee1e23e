// An agent in a place that speaks the Agent Client Protocol. A host of its own holds its pipes (src/host): it outlives
// this one, and keeps what the agent says until home has it.

import { endHost } from '../../../host/end.ts'
import { type ExitRecord, hostSocket, readExitRecord, readHostRecord } from '../../../host/files.ts'
import { openHost } from '../../../host/start.ts'
import { sleep } from '../../../lib/clock.ts'
import { type ProcessIdentity, parseIdentity, processState } from '../../../lib/process/process-identity.ts'
import { stopProcesses } from '../../../lib/process/process-tree.ts'
import type { UnprovenProcess } from '../../../lib/process/unproven-processes.ts'
import type { FarLaunch } from '../far-contract.ts'
import type { FarAgent } from './agents.ts'
import { type HostedAgent, type Hosting, hasOrphans, planCommand } from './host-agent.ts'

const START_MS = 60_000
const CHECK_MS = 250

export async function hostAcpAgent(hosting: Hosting, request: FarLaunch): Promise<HostedAgent> {
  const { paths, log, spawnId } = hosting
  const { command, environment, workspacePath, far } = await planCommand(hosting, request)
  const host = openHost(process.env, `${paths.directory}/host.log`)
  const here = { directory: paths.agent, exitCopy: paths.directory, cwd: workspacePath }
  const spec = { ...here, command, env: environment, spawnId }
  const report = await host.start(spec, START_MS)
  if (!report.ok) throw new Error(`the command ${command[0] ?? '(none)'} could not be started there: ${report.message}`)
  log.add({ type: 'launched', pid: parseIdentity(report.agent ?? '')?.pid ?? 0 })
  return keepAgent(hosting, far, workspacePath)
}

/** After a host of this place was killed: its agent and the agent's own host may be as they were. null: they are not. */
export function findAcpAgent(hosting: Hosting): HostedAgent | null {
  const host = parseIdentity(readHostRecord(hosting.paths.agent)?.host ?? '')
  return host && processState(host) !== 'dead' ? keepAgent(hosting, null, hosting.paths.workspace) : null
}

function keepAgent(hosting: Hosting, far: FarAgent | null, workspacePath: string): HostedAgent {
  const { paths, spawnId } = hosting
  const record = readHostRecord(paths.agent)
  const identity = parseIdentity(record?.agent ?? '')
  const over = untilEnded(hosting, parseIdentity(record?.host ?? ''))
  const unproven: UnprovenProcess[] = []
  const stop = async (graceMs: number) => {
    const agents = identity === null ? [] : [identity]
    unproven.push(...(await stopProcesses(spawnId, agents, { graceMs, workspacePath })).unproven)
    await over
    endHost(paths.agent)
  }
  return {
    pid: identity?.pid ?? null,
    terminal: null,
    pipes: hostSocket(paths.agent),
    far,
    resumed: false,
    unproven,
    stop,
  }
}

/** Resolves when the agent has ended and that is a fact of the log. */
async function untilEnded({ paths, spawnId, recordEnd }: Hosting, host: ProcessIdentity | null): Promise<void> {
  for (;;) {
    const exit = recordedExit()
    if (exit) return end(exit.code, exit.signal)
    // Its reader took the end, and the host left with its files.
    const isGone = host === null || processState(host) === 'dead'
    if (isGone && !hasOrphans(spawnId)) {
      const late = recordedExit()
      return late ? end(late.code, late.signal) : end(null, null, 'the host of its pipes is gone')
    }
    await sleep(CHECK_MS)
  }
  function recordedExit(): ExitRecord | null {
    const exit = readExitRecord(paths.directory) ?? readExitRecord(paths.agent)
    return exit?.spawnId === spawnId ? exit : null
  }
  function end(exitCode: number | null, signal: string | null, why?: string): Promise<void> {
    return recordEnd({ exitCode, signal, screen: '', why })
  }
}
