// Many live terminals over one WebSocket. The tickets decide who may see what; the server in front checks where a socket
// comes from. A socket that does not read costs a fixed amount of memory and slows no agent down.
import type { RawData, WebSocket } from 'ws'
import {
  decodeClientFrame,
  decodeData,
  encodeControl,
  MAX_INPUT_BYTES,
  type TerminalClientFrame,
  type TerminalErrorCode,
  type TerminalId,
  type TerminalMode,
} from '../../contract/terminal-frames.ts'
import type { LiveTerminal, TerminalViewer } from '../../slots/runtime.ts'
import { withoutReports } from './terminal-reports.ts'
import { closeView, openView, type TerminalView, takeAck } from './terminal-view.ts'

export interface TerminalServerOptions {
  /** null: it opens nothing. Checking a ticket uses it up. */
  takeTicket(ticket: string): { sessionId: string; mode: TerminalMode } | null
  openTerminal(sessionId: string, viewer: TerminalViewer): Promise<LiveTerminal>
}

export interface TerminalServer {
  /** The socket belongs to this server from here on. */
  accept(socket: WebSocket): void
  /** Resolves when every terminal is released. */
  close(): Promise<void>
}

/** A frame from a browser is never longer: the limit for the creator of the socket. */
export const MAX_FRAME_BYTES = MAX_INPUT_BYTES + 16

const MAX_TERMINALS = 32
/** A browser that disappeared silently does not answer. */
const HEARTBEAT_MS = 30_000

interface TerminalHub extends TerminalServerOptions {
  sockets: Map<WebSocket, TerminalClient>
}

interface TerminalClient {
  socket: WebSocket
  views: Map<TerminalId, TerminalView>
  hasAnswered: boolean
}

export function serveTerminals(options: TerminalServerOptions): TerminalServer {
  const hub: TerminalHub = { ...options, sockets: new Map() }
  const heartbeat = setInterval(() => closeDeadClients(hub), HEARTBEAT_MS)
  heartbeat.unref()
  return {
    accept: (socket) => accept(hub, socket),
    async close() {
      clearInterval(heartbeat)
      const clients = [...hub.sockets.values()]
      await Promise.all(clients.map((client) => release(hub, client)))
      for (const { socket } of clients) socket.close(1001, 'ao is stopping')
    },
  }
}

function accept(hub: TerminalHub, socket: WebSocket): void {
  const client: TerminalClient = { socket, views: new Map(), hasAnswered: true }
  hub.sockets.set(socket, client)
  socket.on('message', (data, isBinary) => {
    const bytes = toBytes(data)
    if (isBinary) takeInput(client, bytes)
    else takeControl(hub, client, decodeClientFrame(bytes.toString()))
  })
  socket.on('pong', () => {
    client.hasAnswered = true
  })
  // 'close' follows, and that is what matters.
  socket.on('error', () => undefined)
  socket.on('close', () => void release(hub, client))
}

async function release(hub: TerminalHub, client: TerminalClient): Promise<void> {
  hub.sockets.delete(client.socket)
  const views = [...client.views.values()]
  client.views.clear()
  await Promise.all(views.map(closeView))
}

function takeControl(hub: TerminalHub, client: TerminalClient, frame: TerminalClientFrame | null): void {
  if (!frame) sendError(client, null, 'bad-frame', 'That is not a frame of this protocol')
  else if (frame.type === 'open') open(hub, client, frame)
  else control(client, frame)
}

function control(client: TerminalClient, frame: Exclude<TerminalClientFrame, { type: 'open' }>): void {
  const view = client.views.get(frame.terminalId)
  // It may have ended while the frame was in flight.
  if (!view) return
  if (frame.type === 'ack') takeAck(view, frame.bytes)
  if (frame.type === 'resize' && view.mode === 'write') view.live?.resize({ cols: frame.cols, rows: frame.rows })
  if (frame.type === 'close') {
    client.views.delete(frame.terminalId)
    void closeView(view)
  }
}

function open(hub: TerminalHub, client: TerminalClient, frame: TerminalClientFrame & { type: 'open' }): void {
  const { terminalId, cols, rows } = frame
  const allowed = admit(hub, client, frame)
  if ('code' in allowed) {
    // A taken id keeps its meaning.
    const fatal = !client.views.has(terminalId)
    client.socket.send(encodeControl({ type: 'error', terminalId, fatal, ...allowed }))
    return
  }
  const view = openView({
    socket: client.socket,
    terminalId,
    mode: allowed.mode,
    open: (viewer) =>
      hub.openTerminal(allowed.sessionId, allowed.mode === 'write' ? { ...viewer, size: { cols, rows } } : viewer),
    onOver: () => client.views.get(terminalId) === view && client.views.delete(terminalId),
  })
  client.views.set(terminalId, view)
}

function admit(
  hub: TerminalHub,
  { views }: TerminalClient,
  { terminalId, ticket }: { terminalId: TerminalId; ticket: string },
): { sessionId: string; mode: TerminalMode } | { code: TerminalErrorCode; message: string } {
  if (views.has(terminalId)) return { code: 'too-many', message: `Terminal ${terminalId} is open already` }
  if (views.size >= MAX_TERMINALS) return { code: 'too-many', message: 'Too many terminals are open' }
  return hub.takeTicket(ticket) ?? { code: 'bad-ticket', message: 'The ticket is not valid, or has expired' }
}

function takeInput(client: TerminalClient, frame: Buffer): void {
  const data = decodeData(frame)
  if (!data || data.bytes.length > MAX_INPUT_BYTES) {
    sendError(client, null, 'bad-frame', 'That is not input')
    return
  }
  const view = client.views.get(data.terminalId)
  if (!view?.live) return
  if (view.mode === 'read') {
    sendError(client, data.terminalId, 'read-only', 'This terminal is read-only')
    return
  }
  const typed = withoutReports(data.bytes)
  if (typed.length > 0) view.live.write(typed)
}

function sendError(
  client: TerminalClient,
  terminalId: TerminalId | null,
  code: TerminalErrorCode,
  message: string,
): void {
  client.socket.send(encodeControl({ type: 'error', terminalId, code, message, fatal: false }))
}

function closeDeadClients(hub: TerminalHub): void {
  for (const client of hub.sockets.values()) {
    if (!client.hasAnswered) client.socket.terminate()
    client.hasAnswered = false
    client.socket.ping()
  }
}

function toBytes(data: RawData): Buffer {
  if (Array.isArray(data)) return Buffer.concat(data)
  return Buffer.isBuffer(data) ? data : Buffer.from(data)
}
