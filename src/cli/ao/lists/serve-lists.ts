// Lists for commands of the same user, printed by the loop: `ao session ls` and `ao status` of thousands of sessions take no
// longer than of one. Only its user can reach the socket, and nothing can be changed through it.
import { chmodSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { errorText } from '../../../contract/errors.ts'
import { showHiddenOnScreen } from '../../../core/text/show-hidden.ts'
import { readBytes } from '../../../http/exchange.ts'
import type { Log } from '../../../lib/log.ts'
import { withSocketPath } from '../../../lib/process/socket-path.ts'
import { removeFile } from '../../../lib/remove.ts'
import type { ServedRepository } from '../../../lifecycle/loop/run-loop.ts'
import { managerOf } from '../../../manager/session-manager.ts'
import { readSaved } from '../../../store/saved.ts'
import { jsonText } from '../../print/io.ts'
import { createStyle } from '../../print/style.ts'
import { LISTS_PATH, type ListRequest, likeness } from './list-request.ts'
import { sessionListText } from './session-list.ts'
import { statusText } from './status-list.ts'

export interface ServedLists {
  /** From here on for this configuration. */
  use(repository: ServedRepository): void
  close(): Promise<void>
}

const LONGEST_REQUEST = 10_000
const MOST_CONNECTIONS = 32
const REQUEST_MS = 5_000

/** The caller holds the lock of this loop, so a socket that is there was left behind. */
export async function serveLists(first: ServedRepository, socket: string): Promise<ServedLists> {
  let repository = first
  const server = createServer((request, response) => void answer(repository, request, response))
  server.maxConnections = MOST_CONNECTIONS
  server.requestTimeout = REQUEST_MS
  server.headersTimeout = REQUEST_MS
  const { log } = first.context
  try {
    removeFile(socket)
    await withSocketPath(socket, (path) => listen(server, path))
    chmodSync(socket, 0o600)
  } catch (error) {
    log.warn(`commands read the files themselves, because ${socket} cannot be opened: ${errorText(error)}`)
  }
  return {
    use(next) {
      repository = next
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      removeFile(socket)
    },
  }
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(path, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

/** Without text, the command prints its own. */
async function answer(repository: ServedRepository, request: IncomingMessage, response: ServerResponse): Promise<void> {
  try {
    if (request.method !== 'POST' || request.url !== LISTS_PATH) return void response.writeHead(404).end()
    const requested = JSON.parse((await readBytes(request, LONGEST_REQUEST)).toString()) as ListRequest
    const { config, env } = repository.context
    if (requested.likeness !== likeness(config, env)) return void response.writeHead(409).end()
    response.writeProcessing()
    const text = await printList(repository, requested)
    if (text === null) return void response.writeHead(409).end()
    const shown = showHiddenOnScreen(text)
    const length = Buffer.byteLength(shown)
    response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8', 'content-length': length })
    await pipeline(Readable.from(inPieces(shown)), response)
  } catch (error) {
    repository.context.log.debug(`a list was not printed: ${errorText(error)}`)
    if (response.headersSent) response.destroy()
    else response.writeHead(409).end()
  }
}

/** null: the command would say more than the list. */
async function printList({ context }: ServedRepository, requested: ListRequest): Promise<string | null> {
  const { config, paths, clock } = context
  const warnings = { count: 0 }
  const log = countingLog(context.log, warnings)
  const manager = managerOf({ ...context, log })
  const io = {
    style: createStyle(requested.colour === true),
    width: () => requested.width ?? Number.POSITIVE_INFINITY,
    jsonText: (value: unknown) => jsonText(value, requested.isTerminal === true),
    clock,
  }
  if (requested.command === 'session ls') {
    const { pins, problem } = readSaved(paths)
    const text = problem === null ? await sessionListText({ manager, config, pins }, requested.options, io) : null
    return warnings.count > 0 ? null : text
  }
  if (requested.command !== 'status') return null
  const { project, json, line } = requested.options
  const showProject = project === undefined && Object.keys(config.projects).length > 1
  const view = { ao: { manager, config, paths, log }, projectId: project, json, line, showProject }
  const report = await statusText(view, io)
  return report.isEmpty || warnings.count > 0 ? null : report.text
}

function countingLog(log: Log, warnings: { count: number }): Log {
  const warn: Log['warn'] = () => {
    warnings.count += 1
  }
  return { debug: log.debug, info: log.info, warn, error: warn }
}

const PIECE = 64 * 1024

/** A long text as bytes, one piece at a time: buffers of megabytes stay with a process long after they were freed. */
export function* inPieces(text: string, size = PIECE): Generator<Buffer> {
  for (let at = 0; at < text.length; ) {
    // A character of two units is not cut in half.
    const isHalf = (text.codePointAt(at + size - 1) ?? 0) > 0xffff
    const end = at + size + (isHalf ? 1 : 0)
    yield Buffer.from(text.slice(at, end))
    at = end
  }
}
