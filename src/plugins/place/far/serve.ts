// The host beside an agent in a place: one process that owns the agent's terminal, its workspace and the log of facts, and
// answers home on a Unix socket that channels lead to. It outlives every connection.
import { chmodSync, writeFileSync } from 'node:fs'
import { createServer, type ServerHttp2Stream } from 'node:http2'
import { errorText } from '../../../contract/errors.ts'
import { readPlainText } from '../../../lib/plain-file.ts'
import { currentProcess, formatIdentity } from '../../../lib/process/process-identity.ts'
import { removeFile } from '../../../lib/remove.ts'
import { FAR_SCHEMAS } from '../far-routes.ts'
import { readAll } from '../wire.ts'
import type { LoadAgent } from './agents.ts'
import type { FarHost } from './far-host.ts'
import { openFarHost } from './far-host.ts'
import { farPaths, type PlaceNote } from './far-paths.ts'
import { leaveUnused } from './leave-unused.ts'
import { ANSWERED, createRoutes, type FarHandlers } from './routes.ts'

/** `host`: argv that runs this program again, for commands in the place. */
export async function serve(directory: string, host: string[], load: LoadAgent): Promise<void> {
  // The session's directory is closed to others; inside it files are as usual.
  process.umask(0o022)
  const { place, socket } = farPaths(directory)
  const { name, spawnId } = JSON.parse(readPlainText(place)) as PlaceNote
  const far = openFarHost(directory, { name, spawnId }, host, load)
  const leave = () => {
    // Whoever holds the place waits for this file to disappear.
    removeFile(idFile(directory))
    process.exit(0)
  }
  const ending = endInTime(far, leave)
  // Of a host that was started after the end of its agent.
  let isSaved = false
  const onLastWork = () => {
    isSaved = far.hosted() === null
    ending.onLastWork()
  }
  const onHeard = leaveUnused({ isUnused: () => far.isUnused() || isSaved, leave })
  await listen(socket, createRoutes(far, host, { onLastWork, end: () => process.exit(0) }), onHeard)
  // Who the host is, for people and for `ps`; last, because it says that the host listens.
  writeFileSync(idFile(directory), `${formatIdentity(currentProcess())}\n`)
  // A closed terminal somewhere is no reason for the agent to end.
  for (const signal of ['SIGHUP', 'SIGINT'] as const) process.on(signal, () => undefined)
  process.on('SIGTERM', ending.begin)
}

const idFile = (directory: string) => `${directory}/host.id`

async function listen(socket: string, routes: FarHandlers, onHeard: () => void): Promise<void> {
  removeFile(socket)
  const server = createServer({ settings: { initialWindowSize: 1024 * 1024, maxConcurrentStreams: 1_000 } })
  server.on('sessionError', () => undefined)
  server.on('session', (session) => session.on('ping', onHeard))
  server.on('stream', (stream, headers) => {
    onHeard()
    stream.on('close', onHeard)
    const path = new URL(String(headers[':path']), 'http://host')
    void answer(stream, routes, `${headers[':method']} ${path.pathname}`, path.searchParams)
  })
  await new Promise<void>((resolve, reject) => {
    server.on('error', reject)
    server.listen(socket, resolve)
  })
  chmodSync(socket, 0o600)
}

async function answer(
  stream: ServerHttp2Stream,
  routes: FarHandlers,
  name: string,
  query: URLSearchParams,
): Promise<void> {
  stream.on('error', () => undefined)
  try {
    const schemas = FAR_SCHEMAS.get(name)
    if (!schemas) throw new Error(`this host has no ${name}; it is another version of ao`)
    const body = schemas.body?.parse(JSON.parse((await readAll(stream)).toString('utf8')))
    const result = await routes[name as keyof FarHandlers]({ stream, query, body: body as never })
    if (result === ANSWERED) return
    if (!stream.headersSent) stream.respond({ ':status': 200 })
    stream.end(JSON.stringify(result))
  } catch (error) {
    if (stream.destroyed) return
    if (stream.headersSent) return void stream.close(2)
    stream.respond({ ':status': 500 })
    stream.end(JSON.stringify({ error: errorText(error) }))
  }
}

// The place is about to end (SIGTERM: a container is stopped, a node drained, a job at its time limit): the agent is stopped,
// which home reads in the log, and the host stays until home has fetched the work, as long as the engine usually allows.

/** Together below the ten seconds that Docker gives; Kubernetes and Slurm give thirty. */
const AGENT_MS = 2_000
const ALL_MS = 9_000

interface Ending {
  begin(): void
  onLastWork(): void
}

function endInTime(far: FarHost, leave: () => void): Ending {
  const saved = Promise.withResolvers<void>()
  let hasBegun = false
  return {
    begin() {
      if (hasBegun) return
      hasBegun = true
      const hosted = far.hosted()
      const gatesEnd = far.gates.close()
      setTimeout(leave, ALL_MS)
      if (hosted === null) return void gatesEnd.then(leave, leave)
      // When it cannot be stopped, the next host finds out what became of it.
      Promise.all([hosted.stop(AGENT_MS), saved.promise, gatesEnd]).then(leave, leave)
    },
    onLastWork: saved.resolve,
  }
}
