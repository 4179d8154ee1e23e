// The wire of an agent host, version 1: frames over one byte stream (a Unix socket here; elsewhere whatever carries bytes).
//
// A frame is a line of JSON, `{"op":…,"bytes":N}`, followed by N bytes of payload. `bytes` is absent when there is none.
//
// The agent's output is one stream of bytes, and a place in it is a number: how many bytes came before. A reader commits the
// place up to which it has recorded the output durably; after any break it continues from there, so nothing is lost or
// doubled. One reader at a time: a newer one replaces the older.
//
//   reader → host
//     hello      version, after       first of all: "send me the output from this place on"
//     read       to                   the host may send output up to this place (flow control; nothing is sent before)
//     commit     to, forget?          output before `to` is not needed again, nor are these keys
//     in         n, key?, payload     for the agent's input. Written once per key, however often it is sent
//     end-input                       closes the agent's input
//     stop       graceMs              ends every process of the agent
//     leave                           the end of the agent was taken: remove everything and exit
//   host → reader
//     state      payload: HostState   the response to hello
//     out        at, payload          output of the agent, from place `at` on
//     err        total, payload       what it wrote to stderr; `total` counts all of it. Only the tail is kept
//     took       n, ok                input n was written to the agent; not ok: its input is closed
//     closed     at                   the output ended at this place; after the last `out`
//     exit       code, signal         the agent ended; after all output it had written by then
//     stopped    left                 the response to stop: processes that could not be ended
//     refused    why                  wrong version, or a place that is no longer kept; the connection ends
//     replaced                        another reader took over; the connection ends

export const PROTOCOL_VERSION = 1

export type ReaderFrame =
  | { op: 'hello'; version: number; after: number }
  | { op: 'read'; to: number }
  | { op: 'commit'; to: number; forget?: readonly string[] | undefined }
  | { op: 'in'; n: number; key?: string | undefined }
  | { op: 'end-input' }
  | { op: 'stop'; graceMs: number }
  | { op: 'leave' }

export type HostFrame =
  | { op: 'state' }
  | { op: 'out'; at: number }
  | { op: 'err'; total: number }
  | { op: 'took'; n: number; ok: boolean }
  | { op: 'closed'; at: number }
  | ({ op: 'exit' } & AgentExit)
  | { op: 'stopped'; left: string[] }
  | { op: 'refused'; why: string }
  | { op: 'replaced' }

export interface AgentExit {
  code: number | null
  signal: NodeJS.Signals | null
}

/** What the host knows when a reader arrives. */
export interface HostState {
  version: number
  spawnId: string
  /** Process identities, see lib/process/process-identity.ts. */
  host: string
  agent: string | null
  /** How many readers there have been, this one included. */
  epoch: number
  /** The kept output is between these places. */
  begin: number
  end: number
  /** Keys of inputs that were accepted and not forgotten since. */
  taken: string[]
  stderr: { total: number; tail: string }
  exit: AgentExit | null
  /** Whatever the starter gave the host to keep for its successors. In memory only. */
  keep: unknown
}

/** Longer than any header. */
const MAX_HEADER = 64 * 1024
/** A line of ACP has at most 32 MB. */
const MAX_PAYLOAD = 64 * 1024 * 1024
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
