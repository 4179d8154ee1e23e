// One connection to the stream. A WebSocket, because browsers allow six HTTP connections to a server, which six open windows
// would take; server-sent events where no WebSocket gets through. Both carry the same text.
import { LEAN_CARDS } from '../../../src/contract/dashboard/stream.ts'
import { pathOf } from './client.ts'
import { readFailure } from './request-error.ts'

export interface StreamLine {
  /** `events`: it takes one of the browser's few HTTP connections. */
  kind: 'socket' | 'events'
  text: ReadableStream<string>
}

interface Wanted {
  session: string | null
  cursor: string | null
  signal: AbortSignal
}

export interface LineTools {
  fetch: typeof fetch
  /** null: there are none here. */
  WebSocket: typeof WebSocket | null
}

/** Rejects with a `RequestError` when the server refuses. */
export async function openLine(wanted: Wanted, tools: LineTools): Promise<StreamLine> {
  const socket = tools.WebSocket && (await openSocket(wanted, tools.WebSocket))
  wanted.signal.throwIfAborted()
  return socket ? { kind: 'socket', text: socket } : { kind: 'events', text: await openEvents(wanted, tools.fetch) }
}

/** null: none gets through, and the browser does not say why. A request will. */
function openSocket(
  { session, cursor, signal }: Wanted,
  Socket: typeof WebSocket,
): Promise<ReadableStream<string> | null> {
  const path = pathOf('GET /api/stream', {
    query: { session: session ?? undefined, cards: LEAN_CARDS, cursor: cursor ?? undefined },
  })
  const socket = new Socket(`${location.protocol === 'https:' ? 'wss:' : 'ws:'}//${location.host}${path}`)
  return new Promise((resolve) => {
    // Not when it has closed: a server that is frozen never agrees to that.
    signal.addEventListener('abort', () => {
      socket.close()
      resolve(null)
    })
    socket.onclose = () => resolve(null)
    socket.onopen = () =>
      resolve(
        new ReadableStream<string>({
          start(line) {
            socket.onmessage = ({ data }: MessageEvent<string>) => line.enqueue(data)
            socket.onclose = () => !signal.aborted && line.close()
            signal.addEventListener('abort', () => line.error(signal.reason))
          },
          cancel: () => socket.close(),
        }),
      )
  })
}

async function openEvents({ session, cursor, signal }: Wanted, request: typeof fetch): Promise<ReadableStream<string>> {
  const path = pathOf('GET /api/stream', { query: { session: session ?? undefined, cards: LEAN_CARDS } })
  const response = await request(path, {
    credentials: 'same-origin',
    cache: 'no-store',
    headers: { accept: 'text/event-stream', ...(cursor && { 'last-event-id': cursor }) },
    signal,
  })
  if (!response.ok) throw await readFailure(response)
  return response.body!.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>)
}
