// Server-sent events on a response: its headers, and writing at the reader's own pace.
import type { ServerResponse } from 'node:http'
import type { Bell } from './bell.ts'

export const KEEP_ALIVE_MS = 15_000

export function openEventStream(response: ServerResponse, headers: Record<string, string> = {}): void {
  response.writeHead(200, {
    'content-type': 'text/event-stream',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
    ...headers,
  })
  response.flushHeaders()
}

/** Waits until the reader has taken it or is gone. `bell` must ring when the response closes. */
export async function writeToStream(response: ServerResponse, text: string, bell: Bell): Promise<void> {
  if (response.write(text)) return
  while (!response.destroyed && response.writableNeedDrain) {
    bell.reset()
    response.once('drain', bell.ring)
    await bell.wait(KEEP_ALIVE_MS)
  }
  bell.ring()
}
