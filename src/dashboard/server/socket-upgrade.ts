// The upgrade to a WebSocket: the terminals', or the stream of a page. Access is checked before the upgrade, and the result is
// counted. Browsers allow six HTTP connections to a server and hundreds of WebSockets, so pages take their stream this way.
import type { IncomingMessage } from 'node:http'
import { type Duplex, Writable } from 'node:stream'
import type { WebSocket, WebSocketServer } from 'ws'
import { LEAN_CARDS, STREAM_PATH } from '../../contract/dashboard/stream.ts'
import { AoError, errorText } from '../../contract/errors.ts'
import { explainError } from '../../contract/explain-error.ts'
import { TERMINALS_PATH } from '../../contract/terminal-frames.ts'
import { admitConnection } from '../../http/limit-connections.ts'
import { sleep } from '../../lib/clock.ts'
import { type Caller, checkUpgrade, requireRight } from '../access/admit-request.ts'
import type { TerminalServer } from '../terminal/terminal-socket.ts'
import type { DashboardContext } from './context.ts'

export interface SocketUpgrade {
  /** Answers the request, even when that fails. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void
  close(): Promise<void>
}

const GOODBYE_MS = 100

interface Rooms {
  sockets: WebSocketServer
  /** A whole board is compressed on its way; a change, or a key pressed in a terminal, is not worth it. */
  streams: WebSocketServer
  terminals: TerminalServer
}

/** `current` is read each time: the configuration may have changed by then. */
export function createSocketUpgrade(current: () => DashboardContext): SocketUpgrade {
  let rooms: Promise<Rooms> | null = null
  return {
    upgrade(request, socket, head) {
      // A socket that breaks while it is being checked is no loss.
      socket.on('error', () => socket.destroy())
      let context: DashboardContext
      let caller: Caller
      let url: URL
      try {
        context = current()
        url = new URL(request.url ?? '/', 'http://localhost')
        caller = checkUpgrade(context.access, request)
        admitConnection(request)
        // What a terminal may do is in its ticket.
        if (url.pathname === STREAM_PATH) requireRight(caller, { method: 'GET', path: STREAM_PATH })
        else if (url.pathname !== TERMINALS_PATH)
          throw new AoError('ROUTE_NOT_FOUND', `There is no WebSocket at ${url.pathname}`)
      } catch (error) {
        return refuse(socket, error)
      }
      rooms ??= openRooms(current)
      rooms.then(
        ({ sockets, streams, terminals }) => {
          const isTerminal = url.pathname === TERMINALS_PATH
          const room = isTerminal ? sockets : streams
          room.handleUpgrade(request, socket, head, (opened) => {
            count(context, opened)
            // Not a clean close: a client without access gets nothing more.
            opened.once(
              'close',
              context.connections.admit(caller, () => opened.terminate()),
            )
            if (isTerminal) terminals.accept(opened)
            else stream(context, opened, url.searchParams)
          })
        },
        (error) => refuse(socket, error),
      )
    },
    async close() {
      const opened = await rooms
      if (!opened) return
      await opened.terminals.close()
      const servers = [opened.sockets, opened.streams]
      // Clients that never close would keep the server from ending.
      if (servers.some(({ clients }) => clients.size > 0)) await sleep(GOODBYE_MS)
      for (const server of servers) {
        for (const socket of server.clients) socket.terminate()
        server.close()
      }
    },
  }
}

/** Where the reader left off is in the address: a WebSocket of a browser has no headers of its own. */
function stream(context: DashboardContext, socket: WebSocket, query: URLSearchParams): void {
  const isLean = query.get('cards') === LEAN_CARDS
  const how = { sessionId: query.get('session') || null, lastEventId: query.get('cursor'), isLean }
  context.stream(socketWriter(socket), how).catch((error: unknown) => {
    context.log.error(`the stream of a page ended: ${errorText(error)}`)
    socket.terminate()
  })
}

const LARGE_BYTES = 32 * 1024
/** Every open page keeps one: a small window takes 32 KB instead of 256. */
const SMALL = {
  serverNoContextTakeover: true,
  clientNoContextTakeover: true,
  zlibDeflateOptions: { windowBits: 12, memLevel: 5 },
}

/** Loaded when the first page is opened. */
async function openRooms(current: () => DashboardContext): Promise<Rooms> {
  const [{ WebSocketServer: Sockets }, { MAX_FRAME_BYTES, serveTerminals }, { openSessionTerminal }] =
    await Promise.all([
      import('ws'),
      import('../terminal/terminal-socket.ts'),
      import('../terminal/terminal-session.ts'),
    ])
  const common = { noServer: true, maxPayload: MAX_FRAME_BYTES }
  return {
    sockets: new Sockets({ ...common, perMessageDeflate: false }),
    streams: new Sockets({ ...common, perMessageDeflate: { threshold: LARGE_BYTES, ...SMALL } }),
    terminals: serveTerminals({
      takeTicket: (ticket) => current().tickets.redeem(ticket),
      openTerminal: (sessionId, viewer) => openSessionTerminal(current(), sessionId, viewer),
    }),
  }
}

function count({ observe }: DashboardContext, socket: WebSocket): void {
  const started = performance.now()
  const durationMs = () => Math.round(performance.now() - started)
  observe?.('websocket_connect', { projectId: '*', outcome: 'success', durationMs: 0 })
  socket.on('error', (error) =>
    observe?.('websocket_error', {
      projectId: '*',
      outcome: 'failure',
      durationMs: durationMs(),
      reason: error.message,
    }),
  )
  socket.on('close', () =>
    observe?.('websocket_disconnect', { projectId: '*', outcome: 'success', durationMs: durationMs() }),
  )
}

function refuse(socket: Duplex, error: unknown): void {
  const explained = explainError(error)
  const body = JSON.stringify(explained.toJSON())
  const status = `${explained.httpStatus} ${explained.httpStatus === 404 ? 'Not Found' : 'Refused'}`
  socket.end(
    `HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    // A client that does not hang up would keep its slot forever.
    () => socket.destroy(),
  )
}

/** A WebSocket as something to write to: the same text as server-sent events have, in text messages, at the reader's own pace. */
function socketWriter(socket: WebSocket): Writable {
  const writer = new Writable({
    decodeStrings: false,
    write: (chunk: string | Buffer, _encoding, done) => socket.send(chunk, { binary: false }, done),
    final(done) {
      socket.close(1001, 'ao is stopping')
      done()
    },
    destroy(error, done) {
      socket.terminate()
      done(error)
    },
  })
  // Anything that could not be sent: the reader is gone, and `close` follows.
  writer.on('error', () => socket.terminate())
  // What a reader says is not read.
  socket.on('error', () => writer.destroy())
  socket.once('close', () => writer.destroy())
  return writer
}
