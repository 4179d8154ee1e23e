// The host beside an agent in a place: one process that owns the agent's terminal, its workspace and the log of facts, and
// answers home on a Unix socket that channels lead to. It outlives every connection.
import { chmodSync, existsSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type ServerHttp2Stream } from 'node:http2'
import { pipeline } from 'node:stream/promises'
import { connectHost } from '../../../agent-host/read-host.ts'
import { errorText } from '../../../contract/errors.ts'
import { createOnceAnswers } from '../../../core/place/line/once-answers.ts'
import { systemClock } from '../../../lib/clock.ts'
import { readPlainText } from '../../../lib/plain-file.ts'
import { currentProcess, formatIdentity } from '../../../lib/process/process-identity.ts'
import { stopProcesses } from '../../../lib/process/process-tree.ts'
import { AO_VERSION } from '../../../lib/version.ts'
import type { HostAnswer } from '../../runtime-process/host/host-protocol.ts'
import { serveTerminal } from '../../runtime-process/host/host-server.ts'
import { type Fact, type Hello, joinStreams, type LogLine, readJson, writeJsonLine } from '../wire.ts'
import { readPack } from '../work/pack.ts'
import type { LoadAgent } from './agents.ts'
import { createAsks } from './asks.ts'
import { openFactsLog } from './facts-log.ts'
import { farPaths, type PlaceNote } from './far-paths.ts'
import { findAcpAgent, hostAcpAgent } from './host-acp-agent.ts'
import { type FarLaunch, type HostedAgent, type Hosting, hasOrphans, hostAgent } from './host-agent.ts'
import { type ModelProxy, startModelProxy } from './model-proxy.ts'
import { type AgentReader, readAgent } from './read-agent.ts'
import { captureWork, packWork } from './work.ts'
import {
  type CheckoutRequest,
  checkOut,
  createOrigin,
  runCommands,
  setRemoteBranches,
  type TravellingFile,
  writeCommands,
  writeFiles,
} from './workspace.ts'

/** A host that nobody launched an agent in is not needed: its creator died. */
const UNUSED_MS = 120_000

type Route = (stream: ServerHttp2Stream, query: URLSearchParams) => Promise<unknown>

/** An answer that a route has written itself. */
const ANSWERED = Symbol('answered')

/** `host`: argv that runs this program again, for commands in the place. */
export async function serve(directory: string, host: string[], load: LoadAgent): Promise<void> {
  // The session's directory is closed to others; inside it files are as usual.
  process.umask(0o022)
  const paths = farPaths(directory)
  const { name, spawnId } = JSON.parse(readPlainText(paths.place)) as PlaceNote
  const log = openFactsLog(paths.log)
  const asks = createAsks(log)
  const before = log.after(0)
  let hosted: HostedAgent | null = null
  let reader: AgentReader | null = null
  let proxy: ModelProxy | null = null
  const listeners = new Set<(line: LogLine) => void>()
  const record = (line: LogLine) => {
    for (const listener of listeners) listener(line)
  }
  const launchedBefore = before.some((fact) => fact.type === 'launched')
  const hosting: Hosting = { paths, log, load, spawnId }
  if (launchedBefore && !hasEnded()) {
    hosted = findAcpAgent(hosting)
    if (hosted) reader = followAgent(null)
  }
  settleEarlier()

  const unused = setTimeout(() => {
    if (hosted !== null || launchedBefore) return
    rmSync(`${directory}/host.id`, { force: true })
    process.exit(0)
  }, UNUSED_MS)

  /** An earlier host of this session was killed. Its agent usually ended with it; that is a fact once it is certain. */
  function settleEarlier(): void {
    if (!launchedBefore || hosted !== null || hasEnded()) return
    if (!hasOrphans(spawnId)) {
      log.add({ type: 'exit', exitCode: null, signal: null, screen: '', why: 'its host was killed' })
      return
    }
    setTimeout(settleEarlier, 500)
  }

  function hasEnded(): boolean {
    return log.after(0).some((fact) => fact.type === 'exit')
  }

  function followAgent(far: HostedAgent['far']): AgentReader {
    return readAgent(far, paths.workspace, {
      reading: (reading) => record({ reading }),
      head: (head) => record({ head }),
    })
  }

  function agentState(): Hello['agent'] {
    if (hasEnded()) return 'ended'
    if (hosted !== null) return 'running'
    return launchedBefore ? 'orphaned' : 'none'
  }

  let working: Promise<unknown> = Promise.resolve()
  /** One at a time: they share a scratch directory. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const next = working.then(work, work)
    working = next.catch(() => undefined)
    return next
  }

  /** What home asked under an id: done once, even when home asks again because it did not hear the answer. */
  const once = createOnceAnswers<Promise<HostAnswer>>()

  async function hasSeen(text: string, since: Date): Promise<boolean | null> {
    const far = hosted?.far
    if (!far?.agent.hasSeen) return null
    return far.agent.hasSeen(far.session, text, since, far.readOptions(systemClock.now()))
  }

  const routes: Record<string, Route> = {
    'GET /hello': async (): Promise<Hello> => ({
      version: AO_VERSION ?? 'dev',
      name,
      spawnId,
      now: systemClock.now().getTime(),
      agent: agentState(),
      pid: hosted?.pid ?? null,
      directory,
      workspace: paths.workspace,
    }),
    'POST /objects': async (stream) => {
      await createOrigin(paths)
      await readPack({ gitDir: paths.origin, env: process.env }, stream)
      return { ok: true }
    },
    'POST /checkout': async (stream) => {
      await checkOut(paths, await readJson<CheckoutRequest>(stream), host)
      return { ok: true }
    },
    'POST /remote': async (stream) => {
      await setRemoteBranches(paths, await readJson<Record<string, string>>(stream))
      return { ok: true }
    },
    'POST /files': async (stream) => {
      writeFiles(paths, await readJson<TravellingFile[]>(stream))
      return { ok: true }
    },
    'POST /commands': async (stream) => ({ failed: await runCommands(paths, await readJson(stream)) }),
    'POST /launch': async (stream) => {
      const request = await readJson<FarLaunch>(stream)
      if (hosted !== null) return { pid: hosted.pid }
      if (launchedBefore) throw new Error('its agent was started before')
      writeCommands(paths, host)
      if (request.modelOnly) {
        proxy ??= await startModelProxy((id, target) => {
          record({ connection: { id, target } })
          return listeners.size > 0
        })
        Object.assign(request.environment, proxy.environment)
      }
      hosted = await (request.overProtocol ? hostAcpAgent(hosting, request) : hostAgent(hosting, request))
      clearTimeout(unused)
      // What an agent does over the protocol is known at home.
      if (request.raw === null) reader = followAgent(request.overProtocol ? null : hosted.far)
      return { pid: hosted.pid }
    },
    'POST /terminal': async (stream) => {
      if (!hosted?.terminal) throw new Error('its terminal is gone')
      stream.respond({ ':status': 200 })
      serveTerminal(stream, { name, agent: hosted.terminal, stop: hosted.stop, once, hasSeen })
      return ANSWERED
    },
    'POST /pipes': async (stream) => {
      if (!hosted?.pipes) throw new Error('its pipes are gone')
      const pipes = await connectHost(hosted.pipes)
      stream.respond({ ':status': 200 })
      joinStreams(stream, pipes)
      return ANSWERED
    },
    'GET /log': async (stream, query) => {
      stream.respond({ ':status': 200 })
      let last = Number(query.get('after')) || 0
      asks.abandon(last)
      const send = (fact: Fact) => {
        if (fact.n <= last) return
        last = fact.n
        writeJsonLine(stream, fact)
      }
      for (const fact of log.after(last)) send(fact)
      if (reader) {
        writeJsonLine(stream, { reading: reader.reading() })
        writeJsonLine(stream, { head: reader.head() })
      }
      const stop = log.onFact(send)
      const pass = (line: LogLine) => writeJsonLine(stream, line)
      listeners.add(pass)
      stream.on('close', () => {
        stop()
        listeners.delete(pass)
      })
      return ANSWERED
    },
    'GET /work': (stream, query) =>
      inTurn(async () => {
        if (!existsSync(paths.workspace)) return null
        const work = await captureWork(paths.workspace)
        if (work === null) return null
        const wants = [work.work, ...ids(query, 'want')]
        const { pack, done } = await packWork(paths.workspace, { wants, haves: ids(query, 'have') })
        stream.respond({ ':status': 200, 'x-work': JSON.stringify(work) })
        await Promise.all([pipeline(pack, stream), done])
        return ANSWERED
      }),
    'POST /forward': async (stream) => {
      stream.respond({ ':status': 200 })
      asks.begin(stream)
      return ANSWERED
    },
    'POST /ask': async (stream, query) => {
      // First the headers: a write would send them, and sending them again would end the stream.
      const accept = () => stream.respond({ ':status': 200 })
      if (!asks.take(query.get('id') ?? '', stream, accept)) throw new Error('nobody waits for this any more')
      return ANSWERED
    },
    'POST /connection': async (stream, query) => {
      stream.respond({ ':status': 200 })
      const refused = query.get('refused')
      if (!proxy?.take(query.get('id') ?? '', stream, refused) || refused !== null) stream.close()
      return ANSWERED
    },
    'POST /stop': async (stream) => {
      const { graceMs } = await readJson<{ graceMs: number }>(stream)
      if (hosted) await hosted.stop(graceMs)
      await stopProcesses(spawnId, [], { graceMs: 0 })
      return { ok: true, unproven: hosted?.unproven ?? [] }
    },
    'POST /end': async () => {
      setTimeout(() => process.exit(0), 100)
      return { ok: true }
    },
  }
  async function answer(stream: ServerHttp2Stream, method: string, path: string): Promise<void> {
    stream.on('error', () => undefined)
    const url = new URL(path, 'http://host')
    try {
      const route = routes[`${method} ${url.pathname}`]
      if (!route) throw new Error(`this host knows no ${url.pathname}; it is another version of ao`)
      const said = await route(stream, url.searchParams)
      if (said === ANSWERED) return
      if (!stream.headersSent) stream.respond({ ':status': 200 })
      stream.end(JSON.stringify(said))
    } catch (error) {
      if (stream.destroyed) return
      if (stream.headersSent) return void stream.close(2)
      stream.respond({ ':status': 500 })
      stream.end(JSON.stringify({ error: errorText(error) }))
    }
  }

  rmSync(paths.socket, { force: true })
  const server = createServer({ settings: { initialWindowSize: 1024 * 1024, maxConcurrentStreams: 1_000 } })
  server.on('sessionError', () => undefined)
  server.on('stream', (stream, headers) => void answer(stream, String(headers[':method']), String(headers[':path'])))
  await new Promise<void>((resolve, reject) => {
    server.on('error', reject)
    server.listen(paths.socket, resolve)
  })
  chmodSync(paths.socket, 0o600)
  // Who the host is, for people and for `ps`; last, because it says that the host listens.
  writeFileSync(`${directory}/host.id`, `${formatIdentity(currentProcess())}\n`)
  // A closed terminal somewhere is no reason for the agent to end.
  for (const signal of ['SIGHUP', 'SIGINT'] as const) process.on(signal, () => undefined)
  process.on('SIGTERM', () => void (hosted?.stop(0) ?? Promise.resolve()).then(() => process.exit(0)))
}

function ids(query: URLSearchParams, name: string): string[] {
  return (query.get(name) ?? '').split(',').filter((id) => /^[0-9a-f]{40,64}$/.test(id))
}
