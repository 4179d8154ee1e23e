// An agent in a place that speaks the Agent Client Protocol: this host holds its pipes, and home reads them over the channel as it
// reads a host on its own machine. Output is in files until home has it.
import { mkdirSync, rmSync } from 'node:fs'
import type { Duplex } from 'node:stream'
import { startPipes } from '../../../host/io/pipes.ts'
import { createReaders, refuse } from '../../../host/serve.ts'
import { currentProcess, formatIdentity } from '../../../lib/process/process-identity.ts'
import { SPAWN_MARKER } from '../../../lib/process/process-tree.ts'
import type { FarLaunch } from '../far-contract.ts'
import { type HostedAgent, type Hosting, planCommand, stopAgent } from './host-agent.ts'

export async function hostPipes(hosting: Hosting, request: FarLaunch): Promise<HostedAgent> {
  const { paths, log, spawnId } = hosting
  const { command, environment, workspacePath, far } = await planCommand(hosting, request)
  mkdirSync(paths.output, { recursive: true, mode: 0o700 })
  const env = { ...environment, [SPAWN_MARKER]: spawnId }
  const io = await startPipes({ directory: paths.output, spawnId, command, cwd: workspacePath, env })
  log.add({ type: 'launched', pid: io.identity?.pid ?? 0 })
  const over = io.ended.then(async ({ code, signal }) => {
    await hosting.recordEnd({ exitCode: code, signal, screen: '' })
    return { code, signal }
  })
  const { unproven, stop } = stopAgent(hosting, { identity: io.identity, workspacePath, over })
  const host = formatIdentity(currentProcess())
  const agent = io.identity && formatIdentity(io.identity)
  let hasLeft = false
  const leave = () => {
    if (io.exit() === null || hasLeft) return
    hasLeft = true
    io.pipes!.spool.close()
    rmSync(paths.output, { recursive: true, force: true })
  }
  const readers = createReaders({
    state: () => ({
      spawnId,
      host,
      agent,
      taken: io.inbox.taken(),
      stderr: io.stderr(),
      exit: io.exit(),
      keep: null,
    }),
    inbox: io.inbox,
    write: io.write,
    stop: (graceMs) => stop(graceMs).then(() => []),
    ended: over,
    pipes: { ...io.pipes!, leave },
  })
  io.serve(readers)
  const accept = (stream: Duplex) => (hasLeft ? refuse(stream, 'its output was taken') : readers.accept(stream))
  return { pid: io.identity?.pid ?? null, terminal: null, pipes: { accept }, far, resumed: false, unproven, stop }
}
