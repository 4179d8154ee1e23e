// The wire of a host, version 1: frames over one byte stream (a Unix socket here; elsewhere whatever carries bytes).
//
// A frame is a line of JSON, `{"op":…,"bytes":N}`, followed by N bytes of payload. `bytes` is absent when there is none.
//
// The agent's output is one stream of bytes, and an offset in it is a number: how many bytes came before. Inputs have keys: one that
// is sent again with its key happens once. Whoever connects is one of two:
//
// The reader of an agent on pipes says from which offset on it reads, and commits the offset up to which it has recorded the output
// durably; after any break the next one continues from there, so nothing is lost or doubled. One at a time: a newer one replaces
// the older.
//
// Clients come and go, as many as like, and say no offset. To them an agent on a terminal is its screen: a picture at an offset, and
// the output from there on. One that does not keep up gets a new picture instead of what it missed.
//
//   from either
//     hello      version, after?      first of all. With `after` a reader: "send me the output from this offset on"
//     in         n?, key?, payload    for the agent's input, as it is. Without `n`: typed by a person, and not answered
//     stop       graceMs              ends every process of the agent
//   from a reader
//     read       to                   the host may send output up to this offset (flow control; nothing is sent before)
//     commit     to, forget?          output before `to` is not needed again, nor are these keys
//     end-input                       closes the agent's input
//     leave                           the end of the agent was taken: remove everything and exit
//   from a client, to an agent on a terminal
//     paste      n, key?, payload     text; answered when the application has processed it
//     screen     n, lines?, styled?   the last lines with history; without `lines` what is visible; `styled`: with colours
//     seen       n, since, now, payload   do the agent's own records show this message, entered since then? `now`: the client's clock
//     view       answers              show me the screen from now on. `answers`: my terminal answers the agent's queries
//     resize     cols, rows
//   host → reader or client
//     state      payload: HostState   the response to hello
//     out        at, payload          output of the agent, from offset `at` on
//     took       n, ok, …             input n was entered; not ok: see Took
//     exit       code, signal         the agent ended; after all output it had written by then
//     stopped    left                 the response to stop: processes that could not be ended
//     refused    why, isPassing?      wrong version, or an offset that is no longer kept; the connection ends. `isPassing`: it may
//                                     work in a moment (the host is elsewhere, and cannot be reached now)
//   host → reader
//     err        total, payload       what it wrote to stderr; `total` counts all of it. Only the tail is kept
//     closed     at                   the output ended at this offset; after the last `out`
//     replaced                        another reader took over; the connection ends
//   host → client
//     text       n, payload           the response to screen
//     seen       n, seen              'refused': by a hook of the user's; null: nobody can tell
//     size       cols, rows           of the terminal: first, and whenever it changes
//     picture    at, payload          replaces everything shown so far; `out` continues it at this offset
import type { Seen } from '../slots/agent.ts'

export const PROTOCOL_VERSION = 1

export type ReaderFrame =
  | { op: 'hello'; version: number; after?: number | undefined }
  | { op: 'read'; to: number }
  | { op: 'commit'; to: number; forget?: readonly string[] | undefined }
  | { op: 'in'; n?: number | undefined; key?: string | undefined }
  | { op: 'end-input' }
  | { op: 'stop'; graceMs: number }
  | { op: 'leave' }
  | TerminalFrame

/** What only a terminal can do. */
export type TerminalFrame =
  | { op: 'paste'; n: number; key?: string | undefined }
  | { op: 'screen'; n: number; lines?: number | undefined; styled?: boolean | undefined }
  | { op: 'seen'; n: number; since: number; now: number }
  | { op: 'view'; answers: boolean }
  | { op: 'resize'; cols: number; rows: number }

export type HostFrame =
  | { op: 'state' }
  | { op: 'out'; at: number }
  | { op: 'err'; total: number }
  | ({ op: 'took'; n: number } & Took)
  | { op: 'closed'; at: number }
  | ({ op: 'exit' } & AgentExit)
  | { op: 'stopped'; left: string[] }
  | { op: 'refused'; why: string; isPassing?: boolean | undefined }
  | { op: 'replaced' }
  | { op: 'text'; n: number }
  | { op: 'seen'; n: number; seen: Seen }
  | { op: 'size'; cols: number; rows: number }
  | { op: 'picture'; at: number }

/** What became of an input. */
export interface Took {
  ok: boolean
  /** Why not. Absent: the agent takes no more input. */
  why?: string | undefined
  /** The terminal took the beginning of it. */
  partly?: boolean | undefined
  /** It can never be entered, however often it is sent. */
  refused?: boolean | undefined
}

export interface AgentExit {
  code: number | null
  signal: NodeJS.Signals | null
}

/** What the host knows when somebody connects. */
export interface HostState {
  version: number
  /** Of the session, where the starter gave one. */
  name?: string | undefined
  spawnId: string
  /** Process identities, see lib/process/process-identity.ts. */
  host: string
  agent: string | null
  /** How many readers there have been, this one included. */
  epoch: number
  /** The kept output is between these offsets. */
  begin: number
  end: number
  /** Keys of inputs that were accepted and not forgotten since. */
  taken: string[]
  stderr: { total: number; tail: string }
  exit: AgentExit | null
  /** Whatever the starter gave the host to keep for its successors. In memory only, and for readers only. */
  keep: unknown
}

/** How a client's frames get onto a stream, and those of the host off it. */
export interface Wire {
  encode(frame: ReaderFrame, payload?: Buffer): Buffer
  read(onFrame: (frame: HostFrame, payload: Buffer) => void): (chunk: Buffer) => void
}

/** The longest message that a terminal is given. */
export const MAX_MESSAGE_BYTES = 1024 * 1024
/** Longer than any header. */
const MAX_HEADER = 64 * 1024
/** A line of ACP has at most 32 MB. */
export const MAX_PAYLOAD = 64 * 1024 * 1024
const NEWLINE = 0x0a
const EMPTY = Buffer.alloc(0)

export function encodeFrame(frame: ReaderFrame | HostFrame, payload?: Buffer): Buffer {
  const header = payload ? { ...frame, bytes: payload.length } : frame
  const line = Buffer.from(`${JSON.stringify(header)}\n`)
  return payload ? Buffer.concat([line, payload]) : line
}

/** Feeds bytes as they come, cut anywhere; calls `onFrame` for each whole frame. Throws when it is not this protocol. */
export function createFrameReader<F extends ReaderFrame | HostFrame>(
  onFrame: (frame: F, payload: Buffer) => void,
): (chunk: Buffer) => void {
  let header: (F & { bytes?: number }) | null = null
  let wanted = 0
  let parts: Buffer[] = []
  let size = 0
  const keep = (bytes: Buffer) => {
    if (bytes.length > 0) parts.push(bytes)
    size += bytes.length
  }
  const takeParts = (last: Buffer): Buffer => {
    const whole = parts.length === 0 ? last : Buffer.concat([...parts, last])
    parts = []
    size = 0
    return whole
  }
  return (chunk) => {
    let rest = chunk
    while (rest.length > 0) {
      if (header === null) {
        const end = rest.indexOf(NEWLINE)
        if (size + (end === -1 ? rest.length : end) > MAX_HEADER) throw new Error('a header is too long')
        if (end === -1) return keep(rest)
        header = readHeader<F>(takeParts(rest.subarray(0, end)))
        wanted = header.bytes ?? 0
        rest = rest.subarray(end + 1)
      }
      const missing = wanted - size
      if (rest.length < missing) return keep(rest)
      const payload = wanted === 0 ? EMPTY : takeParts(rest.subarray(0, missing))
      rest = rest.subarray(missing)
      const frame = header
      header = null
      onFrame(frame, payload)
    }
  }
}

function readHeader<F>(line: Buffer): F & { bytes?: number } {
  const value = JSON.parse(line.toString('utf8')) as F & { op?: unknown; bytes?: number }
  const { bytes = 0 } = value
  if (typeof value.op !== 'string' || !Number.isInteger(bytes) || bytes < 0 || bytes > MAX_PAYLOAD) {
    throw new Error('a header is invalid')
  }
  return value
}
