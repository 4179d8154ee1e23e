// The protocol of a host's socket: one JSON object per line, each line bounded.
import type { Duplex } from 'node:stream'

export type HostRequest =
  | { op: 'status' }
  /** Answered when the application has processed the text. */
  | { op: 'paste'; text: string; id?: string }
  | { op: 'keys'; data: string; id?: string }
  /** The screen without its history; `styled`: with colour sequences. */
  | { op: 'screen'; styled?: boolean }
  | { op: 'output'; lines: number }
  | { op: 'stop'; graceMs: number }
  /** From here on the connection is a terminal: `input` and `resize` one way, HostEvents the other. */
  | { op: 'attach'; cols: number; rows: number }
  /** The same for a viewer whose terminal never answers the agent and does not set its size. */
  | { op: 'view' }
  | { op: 'input'; data: string }
  | { op: 'resize'; cols: number; rows: number }
  /** In a place: do the agent's own records there show this message, entered since then? `now`: the asker's clock. */
  | { op: 'seen'; text: string; since: number; now: number }
  /** One HostEvent when the agent has ended, and nothing before. */
  | { op: 'await-end' }

export type HostAnswer =
  | { ok: true; text?: string; name?: string; pid?: number; seen?: boolean | null }
  /** `partly`: the terminal took the beginning of what was to be entered. `refused`: it can never be entered. */
  | { ok: false; error: string; partly?: true; refused?: true }

export type HostEvent =
  /** Replaces everything shown so far. */
  | { event: 'screen'; data: string }
  | { event: 'output'; data: string }
  /** For `view` only: first, and whenever it changes. */
  | { event: 'size'; cols: number; rows: number }
  | { event: 'exit'; exitCode: number | null; signal: string | null }

export const MAX_MESSAGE_BYTES = 1024 * 1024
/** A message of that size with every character escaped. */
const MAX_LINE_CHARACTERS = 8 * MAX_MESSAGE_BYTES

/** Calls `onLine` with each parsed line. A line that is too long or not JSON ends the connection. */
export function readLines<T>(socket: Duplex, onLine: (value: T) => void): void {
  let rest = ''
  socket.setEncoding('utf8')
  socket.on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    try {
      for (const line of lines) onLine(JSON.parse(line) as T)
      if (rest.length > MAX_LINE_CHARACTERS) throw new Error('a line is too long')
    } catch (error) {
      socket.destroy(error as Error)
    }
  })
}

export function writeLine(socket: Duplex, value: HostRequest | HostAnswer | HostEvent): void {
  if (socket.writable) socket.write(`${JSON.stringify(value)}\n`)
}
