// The one stream of a page: the board and its changes, and the history and transcript of the displayed session. Each reader
// is served at its own pace; a slow one gets what it missed as one change, or the whole board.
import type { Writable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { HEARTBEAT_MS } from '../../contract/dashboard/stream.ts'
import { writeToStream } from '../../http/event-stream.ts'
import { createSignal, type Signal } from '../../lib/clock.ts'
import type { KeptTranscripts } from './kept-transcripts.ts'
import type { BoardKeeper } from './live-board.ts'
import { createReader, type Reader } from './stream-reader.ts'
import { followTranscript } from './stream-transcript.ts'

export interface StreamOptions {
  board: BoardKeeper
  transcripts: KeptTranscripts
  /** The displayed session; null: only the board. */
  sessionId: string | null
  /** What the reader claims to have; anything but a cursor of ours starts from the beginning. */
  lastEventId: string | null
}

/** Resolves when the reader is gone. */
export async function streamBoard(response: Writable, options: StreamOptions): Promise<void> {
  const { board, sessionId, transcripts } = options
  const signal = createSignal()
  const gone = new AbortController()
  const reader = createReader(options)
  const unsubscribe = board.subscribe(signal.raise)
  response.once('close', () => {
    gone.abort()
    signal.raise()
  })
  if (sessionId !== null) {
    void followTranscript({ board, transcripts, sessionId, reader, wake: signal.raise, signal: gone.signal })
  }
  try {
    await writeToStream(response, `retry: 1000\n${heartbeat()}`, signal)
    await board.fresh()
    await serve(response, reader, signal)
  } finally {
    gone.abort()
    unsubscribe()
    response.end()
  }
}

/** A reader that receives nothing for this long is gone; a page that is alive reconnects on its own. */
const DEAF_MS = 120_000

async function serve(response: Writable, reader: Reader, signal: Signal): Promise<void> {
  while (!response.destroyed) {
    signal.reset()
    const frames = reader.next()
    if (frames.length > 0) {
      await writeToStream(response, frames.flatMap(format), signal, DEAF_MS)
      // Others get their turn between two pages, even when this reader takes them as fast as they come.
      await setImmediate()
    } else if (!(await signal.wait(HEARTBEAT_MS))) await writeToStream(response, heartbeat(), signal, DEAF_MS)
  }
}

/** A comment: readers that only want events ignore it. */
function heartbeat(): string {
  return `: ${new Date().toISOString()}\n\n`
}

/** JSON has no line breaks of its own, so one line of data is enough whatever the text contains. */
function format({ id, event, data }: ReturnType<Reader['next']>[number]): Array<string | Buffer> {
  return [`id: ${id}\nevent: ${event}\ndata: `, event === 'history' ? sharedBytes(data) : JSON.stringify(data), '\n\n']
}

const encoded = new WeakMap<object, Buffer>()

/** Once for all readers that get the same page; a page never changes. */
function sharedBytes(data: object): Buffer {
  const bytes = encoded.get(data) ?? Buffer.from(JSON.stringify(data))
  encoded.set(data, bytes)
  return bytes
}
