// The page's one WebSocket for terminals. Opens it with the first terminal, closes it after the last, and brings every
// terminal back after a break, each with a new ticket. Renders nothing.
import {
  decodeData,
  decodeServerFrame,
  encodeControl,
  encodeData,
  MAX_INPUT_BYTES,
  MAX_TERMINAL_ID,
  TERMINALS_PATH,
  type TerminalClientFrame,
  type TerminalMode,
  type TerminalServerFrame,
  type TerminalSize,
} from '../../../src/contract/terminal-frames.ts'
import { BASE } from '../api/base.ts'
import { ask } from '../api/client.ts'
import { waitBefore } from '../api/stream-client.ts'

export type TerminalNews =
  | { state: 'opening' }
  | { state: 'open'; mode: TerminalMode }
  | { state: 'lost'; why: string }
  /** Nothing more will come. */
  | { state: 'ended'; why: string }

export interface TerminalHandlers {
  onNews: (news: TerminalNews) => void
  onSize: (size: TerminalSize) => void
  /** Before the first bytes of each opening: what was drawn is outdated. */
  onReset: () => void
  onBytes: (bytes: Uint8Array) => void
}

export interface OpenTerminal {
  type(text: string): void
  resize(size: TerminalSize): void
  /** This many bytes are drawn. */
  drawn(bytes: number): void
  close(): void
}

interface Terminal {
  id: number
  sessionId: string
  mode: TerminalMode
  size: TerminalSize
  handlers: TerminalHandlers
  failures: number
  timer: ReturnType<typeof setTimeout> | undefined
  closed: boolean
}

const terminals = new Map<number, Terminal>()
let line: Promise<WebSocket> | null = null
let lastId = 0

interface Wanted {
  sessionId: string
  mode: TerminalMode
  size: TerminalSize
  handlers: TerminalHandlers
}

export function openTerminal(wanted: Wanted): OpenTerminal {
  const terminal: Terminal = { ...wanted, id: 0, failures: 0, timer: undefined, closed: false }
  void start(terminal)
  return {
    type(text) {
      const bytes = new TextEncoder().encode(text)
      for (let at = 0; at < bytes.length; at += MAX_INPUT_BYTES)
        transmit(encodeData(terminal.id, bytes.subarray(at, at + MAX_INPUT_BYTES)))
    },
    resize(size) {
      terminal.size = size
      if (terminals.has(terminal.id)) say({ type: 'resize', terminalId: terminal.id, ...size })
    },
    drawn(bytes) {
      if (terminals.has(terminal.id)) say({ type: 'ack', terminalId: terminal.id, bytes })
    },
    close() {
      terminal.closed = true
      clearTimeout(terminal.timer)
      if (terminals.delete(terminal.id)) say({ type: 'close', terminalId: terminal.id })
      if (terminals.size === 0) hangUp()
    },
  }
}

async function start(terminal: Terminal): Promise<void> {
  terminal.handlers.onNews({ state: 'opening' })
  try {
    const params = { id: terminal.sessionId }
    const { ticket } =
      terminal.mode === 'read'
        ? await ask('GET /api/sessions/:id/ticket', { params })
        : await ask('POST /api/sessions/:id/ticket', { params, body: { mode: terminal.mode } })
    const socket = await connect()
    if (terminal.closed) return
    // A new id each time: what is still in flight under the old one is ignored.
    terminal.id = nextId()
    terminals.set(terminal.id, terminal)
    terminal.handlers.onReset()
    socket.send(encodeControl({ type: 'open', terminalId: terminal.id, ticket, ...terminal.size }))
  } catch (error) {
    lose(terminal, error instanceof Error ? error.message : String(error))
  }
}

function connect(): Promise<WebSocket> {
  line ??= new Promise((resolve, reject) => {
    const socket = new WebSocket(
      `${location.protocol === 'https:' ? 'wss:' : 'ws:'}//${location.host}${BASE}${TERMINALS_PATH}`,
    )
    socket.binaryType = 'arraybuffer'
    socket.onopen = () => resolve(socket)
    socket.onmessage = ({ data }: MessageEvent<string | ArrayBuffer>) => take(data)
    socket.onclose = () => {
      line = null
      reject(new Error('The server does not answer.'))
      for (const terminal of [...terminals.values()]) lose(terminal, 'The connection broke.')
    }
  })
  return line
}

function hangUp(): void {
  const old = line
  line = null
  // One that never opened has already notified its terminals.
  old?.then(
    (socket) => socket.close(),
    () => undefined,
  )
}

function take(data: string | ArrayBuffer): void {
  if (typeof data !== 'string') {
    const frame = decodeData(new Uint8Array(data))
    if (frame) terminals.get(frame.terminalId)?.handlers.onBytes(frame.bytes)
    return
  }
  const frame = decodeServerFrame(data)
  const terminal = frame && frame.terminalId !== null ? terminals.get(frame.terminalId) : undefined
  if (frame && terminal) hear(terminal, frame)
}

function hear(terminal: Terminal, frame: TerminalServerFrame): void {
  const { onNews, onSize } = terminal.handlers
  if (frame.type === 'opened') {
    terminal.failures = 0
    onNews({ state: 'open', mode: frame.mode })
  }
  if (frame.type === 'opened' || frame.type === 'size') onSize({ cols: frame.cols, rows: frame.rows })
  if (frame.type === 'ended') end(terminal, frame.why)
  if (frame.type === 'error' && frame.fatal) {
    // A ticket is valid for seconds; a slow connection may have used them up.
    if (frame.code === 'bad-ticket' && terminal.failures < 3) lose(terminal, frame.message)
    else end(terminal, frame.message)
  }
}

function end(terminal: Terminal, why: string): void {
  terminals.delete(terminal.id)
  terminal.handlers.onNews({ state: 'ended', why })
}

function lose(terminal: Terminal, why: string): void {
  terminals.delete(terminal.id)
  if (terminal.closed) return
  terminal.handlers.onNews({ state: 'lost', why })
  terminal.timer = setTimeout(() => void start(terminal), waitBefore(terminal.failures, Math.random()))
  terminal.failures += 1
}

function nextId(): number {
  do lastId = (lastId + 1) % (MAX_TERMINAL_ID + 1)
  while (terminals.has(lastId))
  return lastId
}

function say(frame: TerminalClientFrame): void {
  transmit(encodeControl(frame))
}

/** Dropped without a connection: what was typed into nothing must not arrive later. */
function transmit(data: string | Uint8Array<ArrayBuffer>): void {
  void line?.then(
    (socket) => {
      if (socket.readyState === WebSocket.OPEN) socket.send(data)
    },
    () => undefined,
  )
}
