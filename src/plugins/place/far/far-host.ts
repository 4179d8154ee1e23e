// What a host knows and owns: its agent, the log of facts, who follows it, and what waits for home. Routes and signals use it.

import { existsSync, mkdirSync } from 'node:fs'
import type { Duplex } from 'node:stream'
import { errorText } from '../../../contract/errors.ts'
import { startPipes } from '../../../host/io/pipes.ts'
import { createReaders, refuse } from '../../../host/serve.ts'
import { sleep, systemClock } from '../../../lib/clock.ts'
import { currentProcess, formatIdentity } from '../../../lib/process/process-identity.ts'
import { SPAWN_MARKER, stopProcesses } from '../../../lib/process/process-tree.ts'
import { removeTree } from '../../../lib/remove.ts'
import type { Seen } from '../../../slots/agent.ts'
import type { Fact, FarLaunch, FarLaunched, Hello, LogLine } from '../far-contract.ts'
import { writeJsonLine } from '../wire.ts'
import type { LoadAgent } from './agents.ts'
import { type Asks, createAsks } from './asks.ts'
import { type FactsLog, openFactsLog } from './facts-log.ts'
import { createFarGates, type FarGates } from './far-gates.ts'
import { type FarPaths, farPaths, type PlaceNote } from './far-paths.ts'
import {
  type EndedAs,
  type HostedAgent,
  type Hosting,
  hasOrphans,
  hostAgent,
  planCommand,
  stopAgent,
} from './host-agent.ts'
import { type ModelProxy, startModelProxy } from './model-proxy.ts'
import { type AgentReader, readAgent } from './read-agent.ts'
import { writeCommands } from './workspace.ts'

const AGAIN_MS = 1_000
const ORPHANS_MS = 500

export interface FarHost {
  note: PlaceNote
  paths: FarPaths
  asks: Asks
  gates: FarGates
  hosted(): HostedAgent | null
  proxy(): ModelProxy | null
  agentState(): Hello['agent']
  /** Nothing was launched here, by this host or an earlier one. */
  isUnused(): boolean
  launch(request: FarLaunch): Promise<FarLaunched>
  /** The log from this number on, and the present state. */
  follow(stream: Duplex, after: number): void
  hasSeen(text: string, since: Date): Promise<Seen>
}

/** `host`: argv that runs this program again, for commands in the place. */
export function openFarHost(directory: string, note: PlaceNote, host: string[], load: LoadAgent): FarHost {
  const paths = farPaths(directory)
  const log = openFactsLog(paths.log)
  const asks = createAsks(log)
  const gates = createFarGates(paths)
  // What a killed host left running there.
  gates.close().catch((error) => console.error(`Gates of an earlier host could not be ended: ${errorText(error)}`))
  const followers = new Set<(line: LogLine) => void>()
  const say = (line: LogLine) => {
    for (const follower of followers) follower(line)
  }
  let trouble: string | null = null
  let hosted: HostedAgent | null = null
  let reader: AgentReader | null = null
  let proxy: ModelProxy | null = null
  const launchedBefore = log.after(0).some((fact) => fact.type === 'launched')
  const hosting: Hosting = { paths, log, load, spawnId: note.spawnId, recordEnd }

  /** On a full disk until it succeeds; meanwhile home does not take the agent for alive. */
  async function recordEnd(end: EndedAs): Promise<void> {
    for (;;) {
      try {
        log.add({ type: 'exit', ...end })
        return
      } catch (error) {
        trouble = `the agent has ended, and its host cannot record it: ${errorText(error)}`
        say({ trouble })
      }
      await sleep(AGAIN_MS)
    }
  }

  /** An earlier host of this session was killed. Its agent usually ended with it; that is a fact once it is certain. */
  async function settleEarlier(): Promise<void> {
    while (hasOrphans(note.spawnId)) {
      // Nobody will ever hear an agent whose pipes are closed; one without a terminal got a signal.
      if (existsSync(paths.output)) await stopProcesses(note.spawnId, [], { graceMs: ORPHANS_MS })
      await sleep(ORPHANS_MS)
    }
    await recordEnd({ exitCode: null, signal: null, screen: '', why: 'its host was killed' })
  }

  function hasEnded(): boolean {
    return log.after(0).some((fact) => fact.type === 'exit')
  }

  function readItsFiles(far: HostedAgent['far']): AgentReader {
    return readAgent(far, paths.workspace, {
      reading: (reading) => say({ reading }),
      head: (head) => say({ head }),
    })
  }

  const announce = (id: string, target: string) => {
    say({ connection: { id, target } })
    return followers.size > 0
  }

  if (launchedBefore && !hasEnded()) void settleEarlier()

  return {
    note,
    paths,
    asks,
    gates,
    hosted: () => hosted,
    proxy: () => proxy,
    isUnused: () => hosted === null && !launchedBefore,
    agentState() {
      if (hasEnded()) return 'ended'
      if (hosted !== null) return 'running'
      return launchedBefore ? 'orphaned' : 'none'
    },
    async launch(request) {
      if (hosted !== null) return { pid: hosted.pid, resumed: hosted.resumed }
      if (launchedBefore) throw new Error('its agent was started before')
      writeCommands(paths, host)
      if (request.modelOnly) {
        proxy ??= await startModelProxy(announce)
        Object.assign(request.environment, proxy.environment)
      }
      hosted = await (request.overProtocol ? hostPipes(hosting, request) : hostAgent(hosting, request))
      // What an agent does over the protocol is known at home.
      if (request.raw === null) reader = readItsFiles(request.overProtocol ? null : hosted.far)
      return { pid: hosted.pid, resumed: hosted.resumed }
    },
    follow(stream, after) {
      asks.abandon(after)
      const stop = sendFacts(log, stream, after)
      if (reader) {
        writeJsonLine(stream, { reading: reader.reading() })
        writeJsonLine(stream, { head: reader.head() })
      }
      if (trouble !== null && !hasEnded()) writeJsonLine(stream, { trouble })
      const pass = (line: LogLine) => writeJsonLine(stream, line)
      followers.add(pass)
      stream.on('close', () => {
        stop()
        followers.delete(pass)
      })
    },
    async hasSeen(text, since) {
      const far = hosted?.far
      if (!far?.agent.hasSeen) return null
      return far.agent.hasSeen(far.session, text, since, far.readOptions(systemClock.now()))
    },
  }
}

/** Each once, in order; the returned function ends it. */
function sendFacts(log: FactsLog, stream: Duplex, after: number): () => void {
  let last = after
  const send = (fact: Fact) => {
    if (fact.n <= last) return
    last = fact.n
    writeJsonLine(stream, fact)
  }
  for (const fact of log.after(last)) send(fact)
  return log.onFact(send)
}

/**
 * An agent that speaks the Agent Client Protocol: this host holds its pipes, and home reads them over the channel as it reads a
 * host on its own machine. Output is in files until home has it.
 */
async function hostPipes(hosting: Hosting, request: FarLaunch): Promise<HostedAgent> {
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
    removeTree(paths.output)
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
