// The event stream as the AI SDK's UI message stream, for clients that ask for it.
import type { IncomingMessage } from 'node:http'
import { toSessionEvent } from '../../contract/agh/events.ts'
import { AoError } from '../../contract/errors.ts'
import { createUiStream, toUiParts } from '../../core/agh/transcript/ui-stream.ts'
import type { StreamEncoding } from './stream-events.ts'

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
