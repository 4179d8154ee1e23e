// The event log as server-sent events: first what is stored, then what happens. Each reader is served from the store at its
// own pace, so a slow one costs nothing and misses nothing. Clients that ask for it get the AI SDK's UI message stream.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type EventRow, eventJson, TURN_ENDS, toSessionEvent } from '../../contract/agh/events.ts'
import { AoError } from '../../contract/errors.ts'
import { createUiStream, toUiParts } from '../../core/agh/transcript/ui-stream.ts'
import { KEEP_ALIVE_MS, openEventStream, writeToStream } from '../../http/event-stream.ts'
import { createSignal } from '../../lib/clock.ts'
import { readEvents, watchSession } from '../runtime.ts'
import type { AghContext } from '../session/context.ts'

const PAGE = 500

export interface StreamOptions {
  sessionId: string
  /** The last event the reader has. */
  after: number
  /** Ends with this turn; otherwise with the session. */
  turnId?: string
  /** A format other than one frame per event. */
  encoding?: StreamEncoding
}

export interface StreamEncoding {
  headers: Record<string, string>
  frame(sessionId: string, row: EventRow): string
  /** The last frame. */
  end: string
}

export async function streamEvents(
  context: AghContext,
  response: ServerResponse,
  options: StreamOptions,
): Promise<void> {
  const { sessionId, turnId, encoding = PLAIN } = options
  const news = createSignal()
  const watch = watchSession(context, sessionId, news.raise)
  const isForEventSource = encoding === PLAIN && turnId === undefined
  if (
    isForEventSource &&
    watch.isOver() &&
    !watch.isLeft() &&
    (await readEvents(context, sessionId, options.after, 1)).length === 0
  ) {
    watch.close()
    // The reader has everything of an ended session. An EventSource reconnects after any other response, as it must when
    // the session was resumed during the read.
    if (watch.isResumed()) openEventStream(response)
    else response.writeHead(204)
    response.end()
    return
  }
  response.once('close', news.raise)
  openEventStream(response, encoding.headers)
  try {
    for (let cursor = options.after; !response.destroyed; ) {
      news.reset()
      // Checked before the read, so that the read includes whatever a session wrote before it ended.
      const isOver = watch.isOver()
      const rows = await readEvents(context, sessionId, cursor, PAGE)
      cursor = rows.at(-1)?.sequence ?? cursor
      const last = rows.findIndex((row) => endsTurn(row, turnId))
      const shown = last === -1 ? rows : rows.slice(0, last + 1)
      const text = shown.map((row) => encoding.frame(sessionId, row)).join('')
      if (text !== '') await writeToStream(response, text, news)
      if (last !== -1) break
      if (rows.length === PAGE) continue
      if (isOver) break
      const ending = watch.ending()
      if (ending) await ending
      else if (!(await news.wait(KEEP_ALIVE_MS))) await writeToStream(response, ': still here\n\n', news)
    }
  } finally {
    watch.close()
    if (watch.isLeft()) cutOff(response)
    else response.end(encoding.end)
  }
}

/** An orderly end would say that there is nothing more to come. */
function cutOff(response: ServerResponse): void {
  if (response.destroyed) return
  response.write(': the daemon ends and the session continues; connect again with Last-Event-ID\n\n', () =>
    response.destroy(),
  )
}

const PLAIN: StreamEncoding = {
  headers: {},
  frame: (sessionId, row) => `id: ${row.sequence}\nevent: ${row.type}\ndata: ${eventJson(sessionId, row)}\n\n`,
  end: '',
}

function endsTurn(row: EventRow, turnId: string | undefined): boolean {
  return row.turn_id === turnId && TURN_ENDS.includes(row.type)
}

export const FORMAT_ABOUT = '`ui`: as an AI SDK UI message stream; also by `Accept: …ui-message-stream`'

/** `?format=ui`, or an Accept header that names the format; `?format=events` is the default. */
export function readEncoding(query: URLSearchParams, request: IncomingMessage): { encoding?: StreamEncoding } {
  const format = query.get('format')
  if (format !== null && format !== 'ui' && format !== 'events') {
    throw new AoError('USAGE', `There is no format ${format}`, { hint: 'Choose events or ui' })
  }
  const isUi = format === 'ui' || (format === null && /ui-message-stream/.test(request.headers.accept ?? ''))
  return isUi ? { encoding: createUiEncoding() } : {}
}

function createUiEncoding(): StreamEncoding {
  const stream = createUiStream()
  return {
    headers: { 'x-vercel-ai-ui-message-stream': 'v1' },
    frame: (sessionId, row) =>
      toUiParts(stream, toSessionEvent(sessionId, row))
        .map((part) => `data: ${JSON.stringify(part)}\n\n`)
        .join(''),
    end: 'data: [DONE]\n\n',
  }
}
