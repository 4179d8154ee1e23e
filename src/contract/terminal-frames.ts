// The protocol of the dashboard's one WebSocket for terminals, for both ends. Text frames are JSON and control; binary
// frames are bytes of a terminal after two bytes that identify it. Knows nothing of sockets.

/** Where it is opened. */
export const TERMINALS_PATH = '/api/terminals'

/** Chosen by the opener, unique on its socket while it is open. */
export type TerminalId = number

export interface TerminalSize {
  cols: number
  rows: number
}

/** What the browser sends. Typed input goes as a binary frame. */
export type TerminalClientFrame =
  /**
   * The ticket determines the session, and whether typed input may reach the agent. A size changes the agent's terminal
   * only if it may.
   */
  | ({ type: 'open'; terminalId: TerminalId; ticket: string } & TerminalSize)
  | ({ type: 'resize'; terminalId: TerminalId } & TerminalSize)
  /** This many more bytes are drawn. Without it the output of a terminal stops after TERMINAL_WINDOW_BYTES. */
  | { type: 'ack'; terminalId: TerminalId; bytes: number }
  | { type: 'close'; terminalId: TerminalId }

/**
 * What the server sends. Output goes as a binary frame; its content is written to the terminal unchanged, including the
 * first picture of the screen.
 */
export type TerminalServerFrame =
  | ({ type: 'opened'; terminalId: TerminalId; mode: TerminalMode } & TerminalSize)
  /** The agent's terminal now has this size: draw it with exactly that, scaled if necessary. */
  | ({ type: 'size'; terminalId: TerminalId } & TerminalSize)
  /** The agent ended, or its terminal disappeared. Nothing follows under this id. */
  | { type: 'ended'; terminalId: TerminalId; why: string }
  /** `terminalId` null: it concerns the whole socket. After `fatal` nothing follows under this id. */
  | { type: 'error'; terminalId: TerminalId | null; code: TerminalErrorCode; message: string; fatal: boolean }

export type TerminalMode = 'read' | 'write'

export type TerminalErrorCode =
  /** Not a frame of this protocol, or one for a terminal that is not open. */
  | 'bad-frame'
  | 'bad-ticket'
  /** The ticket only allows viewing. */
  | 'read-only'
  /** The id is taken, or the socket has the maximum number of terminals. */
  | 'too-many'
  /** The session has no terminal that can be shown now. */
  | 'unavailable'

export const MAX_TERMINAL_ID = 0xffff
/** A size outside these is refused; the smaller one is what programs can still draw into. */
export const MIN_TERMINAL_SIZE: TerminalSize = { cols: 2, rows: 1 }
export const MAX_TERMINAL_SIZE: TerminalSize = { cols: 1_000, rows: 500 }
/** Bytes in flight to a browser that has not acknowledged them. */
export const TERMINAL_WINDOW_BYTES = 512 * 1024
/** Bytes of one binary frame from the browser; more is sent in parts. */
export const MAX_INPUT_BYTES = 64 * 1024
const MAX_TICKET_LENGTH = 512

export function encodeControl(frame: TerminalClientFrame | TerminalServerFrame): string {
  return JSON.stringify(frame)
}

/** null: not a frame that a browser may send. Unknown members are dropped. */
export function decodeClientFrame(text: string): TerminalClientFrame | null {
  const frame = parseObject(text)
  if (!frame || !isTerminalId(frame.terminalId)) return null
  const { type, terminalId, ticket, bytes } = frame
  if (type === 'close') return { type, terminalId }
  if (type === 'ack') return isCount(bytes) ? { type, terminalId, bytes } : null
  const size = readSize(frame)
  if (!size) return null
  if (type === 'resize') return { type, terminalId, ...size }
  if (type !== 'open' || typeof ticket !== 'string' || ticket.length > MAX_TICKET_LENGTH) return null
  return { type, terminalId, ticket, ...size }
}

/** null: not a frame that this version of the server sends; a page that is older than the server ignores it. */
export function decodeServerFrame(text: string): TerminalServerFrame | null {
  const frame = parseObject(text)
  if (!frame) return null
  const { type, terminalId } = frame
  if (type === 'error') return readError(frame)
  if (!isTerminalId(terminalId)) return null
  if (type === 'ended') return typeof frame.why === 'string' ? { type, terminalId, why: frame.why } : null
  const size = readSize(frame)
  if (!size) return null
  if (type === 'size') return { type, terminalId, ...size }
  const { mode } = frame
  if (type !== 'opened' || (mode !== 'read' && mode !== 'write')) return null
  return { type, terminalId, mode, ...size }
}

const ID_BYTES = 2

export function encodeData(terminalId: TerminalId, bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const frame = new Uint8Array(ID_BYTES + bytes.length)
  new DataView(frame.buffer).setUint16(0, terminalId)
  frame.set(bytes, ID_BYTES)
  return frame
}

/** The bytes are a view into the frame, not a copy. null: too short to identify its terminal. */
export function decodeData(frame: Uint8Array): { terminalId: TerminalId; bytes: Uint8Array } | null {
  if (frame.length < ID_BYTES) return null
  const terminalId = new DataView(frame.buffer, frame.byteOffset, frame.byteLength).getUint16(0)
  return { terminalId, bytes: frame.subarray(ID_BYTES) }
}

function parseObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null
  } catch {
    // Not JSON, so not a frame: that is the answer.
    return null
  }
}

const ERROR_CODES: ReadonlySet<unknown> = new Set<TerminalErrorCode>([
  'bad-frame',
  'bad-ticket',
  'read-only',
  'too-many',
  'unavailable',
])

function readError({ terminalId, code, message, fatal }: Record<string, unknown>): TerminalServerFrame | null {
  if (terminalId !== null && !isTerminalId(terminalId)) return null
  if (!ERROR_CODES.has(code) || typeof message !== 'string' || typeof fatal !== 'boolean') return null
  return { type: 'error', terminalId, code: code as TerminalErrorCode, message, fatal }
}

function readSize({ cols, rows }: Record<string, unknown>): TerminalSize | null {
  if (!isBetween(cols, MIN_TERMINAL_SIZE.cols, MAX_TERMINAL_SIZE.cols)) return null
  return isBetween(rows, MIN_TERMINAL_SIZE.rows, MAX_TERMINAL_SIZE.rows) ? { cols, rows } : null
}

function isTerminalId(value: unknown): value is TerminalId {
  return isBetween(value, 0, MAX_TERMINAL_ID)
}

function isCount(value: unknown): value is number {
  return isBetween(value, 0, Number.MAX_SAFE_INTEGER)
}

function isBetween(value: unknown, least: number, most: number): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most
}
