// The one stream of a page: the board and its changes, and the history and transcript of the displayed session. Each reader
// is served at its own pace; a slow one gets what it missed as one change, or the whole board.
import type { Writable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import type { Board, BoardChange } from '../../contract/dashboard/cards.ts'
import { HEARTBEAT_MS } from '../../contract/dashboard/stream.ts'
import { leanCard } from '../../core/board/lean-card.ts'
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
  /** Its cards say only what few others have too (`core/board/lean-card.ts`). */
  isLean: boolean
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
    await serve(response, { reader, signal, isLean: options.isLean })
  } finally {
    gone.abort()
    unsubscribe()
    response.end()
  }
}

/** A reader that receives nothing for this long is gone; a page that is alive reconnects on its own. */
const DEAF_MS = 120_000

async function serve(
  response: Writable,
  { reader, signal, isLean }: { reader: Reader; signal: Signal; isLean: boolean },
): Promise<void> {
  while (!response.destroyed) {
    signal.reset()
    const frames = reader.next()
    if (frames.length > 0) {
      const parts = frames.flatMap((frame) => format(frame, isLean))
      await writeToStream(response, parts, signal, DEAF_MS)
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
function format({ id, event, data }: ReturnType<Reader['next']>[number], isLean: boolean): Array<string | Buffer> {
  const head = `id: ${id}\nevent: ${event}\ndata: `
  if (event === 'board' || event === 'change') return [head, ...cardsText(data, isLean), '\n\n']
  return [head, event === 'history' ? sharedBytes(data) : JSON.stringify(data), '\n\n']
}

const CARDS_AT_ONCE = 500

/** In pieces: ten thousand cards in one text would take as much memory again as they do. */
function* cardsText({ sessions, ...rest }: Board | BoardChange, isLean: boolean): Generator<string> {
  yield `${JSON.stringify(rest).slice(0, -1)},"sessions":[`
  for (let at = 0; at < sessions.length; at += CARDS_AT_ONCE) {
    const part = sessions.slice(at, at + CARDS_AT_ONCE)
    const text = JSON.stringify(isLean ? part.map(leanCard) : part)
    yield `${at === 0 ? '' : ','}${text.slice(1, -1)}`
  }
  yield ']}'
}

const encoded = new WeakMap<object, Buffer>()

/** Once for all readers that get the same page; a page never changes. */
function sharedBytes(data: object): Buffer {
  const bytes = encoded.get(data) ?? Buffer.from(JSON.stringify(data))
  encoded.set(data, bytes)
  return bytes
}
