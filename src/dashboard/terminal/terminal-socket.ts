// Many live terminals over one WebSocket. Who may see what is decided by the tickets; the server before it checks where
// a socket comes from. A socket that does not read costs a fixed amount of memory and slows no agent down.
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
  /** null: it opens nothing. Using it up is part of asking. */
  takeTicket(ticket: string): { sessionId: string; mode: TerminalMode } | null
  openTerminal(sessionId: string, viewer: TerminalViewer): Promise<LiveTerminal>
}

export interface TerminalServer {
  /** The socket is this server's from here on. */
  accept(socket: WebSocket): void
  /** Resolves when every terminal is let go. */
  close(): Promise<void>
}

/** A frame of a browser is never longer: the limit for whoever makes the socket. */
export const MAX_FRAME_BYTES = MAX_INPUT_BYTES + 16

const MAX_TERMINALS = 32
/** A browser that is gone without a word does not answer. */
const HEARTBEAT_MS = 30_000

interface Door extends TerminalServerOptions {
  sockets: Map<WebSocket, Guest>
}

interface Guest {
  socket: WebSocket
  views: Map<TerminalId, TerminalView>
  hasAnswered: boolean
}

export function serveTerminals(options: TerminalServerOptions): TerminalServer {
  const door: Door = { ...options, sockets: new Map() }
  const heartbeat = setInterval(() => checkHearts(door), HEARTBEAT_MS)
  heartbeat.unref()
  return {
    accept: (socket) => welcome(door, socket),
    async close() {
      clearInterval(heartbeat)
      const guests = [...door.sockets.values()]
      await Promise.all(guests.map((guest) => dismiss(door, guest)))
      for (const { socket } of guests) socket.close(1001, 'ao is stopping')
    },
  }
}

function welcome(door: Door, socket: WebSocket): void {
  const guest: Guest = { socket, views: new Map(), hasAnswered: true }
  door.sockets.set(socket, guest)
  socket.on('message', (data, isBinary) => {
    const bytes = toBytes(data)
    if (isBinary) takeInput(guest, bytes)
    else takeControl(door, guest, decodeClientFrame(bytes.toString()))
  })
  socket.on('pong', () => {
    guest.hasAnswered = true
  })
  // 'close' follows, and that is what matters.
  socket.on('error', () => undefined)
  socket.on('close', () => void dismiss(door, guest))
}

async function dismiss(door: Door, guest: Guest): Promise<void> {
  door.sockets.delete(guest.socket)
  const views = [...guest.views.values()]
  guest.views.clear()
  await Promise.all(views.map(closeView))
}

function takeControl(door: Door, guest: Guest, frame: TerminalClientFrame | null): void {
  if (!frame) complain(guest, null, 'bad-frame', 'That is not a frame of this protocol')
  else if (frame.type === 'open') open(door, guest, frame)
  else control(guest, frame)
}

function control(guest: Guest, frame: Exclude<TerminalClientFrame, { type: 'open' }>): void {
  const view = guest.views.get(frame.terminalId)
  // It may have ended while the frame was under way.
  if (!view) return
  if (frame.type === 'ack') takeAck(view, frame.bytes)
  if (frame.type === 'resize' && view.mode === 'write') view.live?.resize({ cols: frame.cols, rows: frame.rows })
  if (frame.type === 'close') {
    guest.views.delete(frame.terminalId)
    void closeView(view)
  }
}

function open(door: Door, guest: Guest, frame: TerminalClientFrame & { type: 'open' }): void {
  const { terminalId, cols, rows } = frame
  const allowed = admit(door, guest, frame)
  if ('code' in allowed) {
    // An id that is taken goes on to mean what it meant.
    const fatal = !guest.views.has(terminalId)
    guest.socket.send(encodeControl({ type: 'error', terminalId, fatal, ...allowed }))
    return
  }
  const view = openView({
    socket: guest.socket,
    terminalId,
    mode: allowed.mode,
    open: (viewer) =>
      door.openTerminal(allowed.sessionId, allowed.mode === 'write' ? { ...viewer, size: { cols, rows } } : viewer),
    onOver: () => guest.views.get(terminalId) === view && guest.views.delete(terminalId),
  })
  guest.views.set(terminalId, view)
}

function admit(
  door: Door,
  { views }: Guest,
  { terminalId, ticket }: { terminalId: TerminalId; ticket: string },
): { sessionId: string; mode: TerminalMode } | { code: TerminalErrorCode; message: string } {
  if (views.has(terminalId)) return { code: 'too-many', message: `Terminal ${terminalId} is open already` }
  if (views.size >= MAX_TERMINALS) return { code: 'too-many', message: 'Too many terminals are open' }
  return door.takeTicket(ticket) ?? { code: 'bad-ticket', message: 'The ticket is not valid, or not any more' }
}

function takeInput(guest: Guest, frame: Buffer): void {
  const data = decodeData(frame)
  if (!data || data.bytes.length > MAX_INPUT_BYTES) {
    complain(guest, null, 'bad-frame', 'That is not input')
    return
  }
  const view = guest.views.get(data.terminalId)
  if (!view?.live) return
  if (view.mode === 'read') {
    complain(guest, data.terminalId, 'read-only', 'This terminal is only to look at')
    return
  }
  const typed = withoutReports(data.bytes)
  if (typed.length > 0) view.live.write(typed)
}

function complain(guest: Guest, terminalId: TerminalId | null, code: TerminalErrorCode, message: string): void {
  guest.socket.send(encodeControl({ type: 'error', terminalId, code, message, fatal: false }))
}

function checkHearts(door: Door): void {
  for (const guest of door.sockets.values()) {
    if (!guest.hasAnswered) guest.socket.terminate()
    guest.hasAnswered = false
    guest.socket.ping()
  }
}

function toBytes(data: RawData): Buffer {
  if (Array.isArray(data)) return Buffer.concat(data)
  return Buffer.isBuffer(data) ? data : Buffer.from(data)
}
