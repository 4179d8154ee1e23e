// Writes to an agent's terminal without ever waiting inside the write: a terminal whose buffer is full takes no more until the
// agent reads, and an agent that draws reads nothing until its own output is taken. node-pty's `write` would spin there for
// ever, so the descriptor, which does not block, is written piece by piece, and the host reads in between.
import { writeSync } from 'node:fs'
import type { IPty } from '@lydell/node-pty'
import { sleep } from '../../lib/clock.ts'

export interface PtyWriter {
  /** In the order of the calls. Rejects when the agent has ended, or has read nothing for too long. */
  write(data: string): Promise<void>
  /** The same for a paste: its end follows also where the rest of it was given up, so that later keys are keys again. */
  paste(parts: { start: string; text: string; end: string }): Promise<void>
}

/** Less than what a terminal buffers. */
const PIECE_BYTES = 2_048
/** How long an agent may read nothing at all. */
const STALLED_MS = 10_000
const RETRY_MS = 5
/** Of everything that waits: a person who types into an agent that does not read. */
const MAX_WAITING_BYTES = 4 * 1024 * 1024

class AgentReadsNothingError extends Error {
  /** The terminal took the beginning. */
  readonly partly = true
  constructor(written: number, total: number) {
    super(`the agent stopped reading its terminal: ${written} of ${total} bytes were entered`)
  }
}

/** `hasEnded`: the descriptor may belong to something else from then on. */
export function createPtyWriter(pty: IPty, hasEnded: () => boolean): PtyWriter {
  const fd = openDescriptor(pty)
  let last: Promise<unknown> = Promise.resolve()
  let waiting = 0
  /** Ends a paste that was given up, before anything else is written. */
  let unfinished = ''

  const writeAll = async (bytes: Buffer): Promise<void> => {
    let written = 0
    let movedAt = performance.now()
    while (written < bytes.length) {
      const descriptor = hasEnded() ? null : fd()
      if (descriptor === null) throw new Error('the agent has ended')
      const count = tryWrite(descriptor, bytes.subarray(written, written + PIECE_BYTES))
      written += count
      if (count > 0) movedAt = performance.now()
      else if (performance.now() - movedAt >= STALLED_MS) throw new AgentReadsNothingError(written, bytes.length)
      // Also after a piece that was taken: this is when the agent's output is read.
      await (count > 0 ? new Promise(setImmediate) : sleep(RETRY_MS))
    }
  }

  const inTurn = (data: string, endOfPaste: string): Promise<void> => {
    const bytes = Buffer.from(data)
    if (waiting + bytes.length > MAX_WAITING_BYTES)
      return Promise.reject(new Error('too much waits already for the agent to read it'))
    waiting += bytes.length
    const done = last.then(async () => {
      if (unfinished !== '') {
        await writeAll(Buffer.from(unfinished))
        unfinished = ''
      }
      try {
        await writeAll(bytes)
      } catch (error) {
        unfinished = endOfPaste
        throw error
      }
    })
    last = done.then(
      () => (waiting -= bytes.length),
      () => (waiting -= bytes.length),
    )
    return done
  }

  return {
    write: (data) => inTurn(data, ''),
    paste: ({ start, text, end }) => inTurn(`${start}${text}${end}`, end),
  }
}

/** 0: it takes nothing now. */
function tryWrite(fd: number, bytes: Buffer): number {
  try {
    return writeSync(fd, bytes)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EAGAIN') return 0
    if (code === 'EIO' || code === 'EBADF') throw new Error('the agent has ended', { cause: error })
    throw error
  }
}

/** node-pty's types leave out its descriptor, and the stream that closes it. null: it is closed. */
function openDescriptor(pty: IPty): () => number | null {
  const { fd, _socket: stream } = pty as IPty & { fd?: unknown; _socket?: { destroyed?: unknown } }
  if (typeof fd !== 'number' || typeof stream?.destroyed !== 'boolean')
    throw new Error('this version of node-pty does not say which descriptor its terminal has')
  return () => (stream.destroyed === true ? null : fd)
}
