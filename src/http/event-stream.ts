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

/** Waits until the reader has taken it or is gone. `bell` must ring when the response closes. One that takes nothing for
 *  `deafMs` is let go. */
export async function writeToStream(
  response: ServerResponse,
  parts: string | ReadonlyArray<string | Buffer>,
  bell: Bell,
  deafMs = Number.POSITIVE_INFINITY,
): Promise<void> {
  // Not corked: node joins what is written in one go anyway, and a response that was corked may never drain.
  let isTaken = true
  for (const part of typeof parts === 'string' ? [parts] : parts) isTaken = response.write(part)
  if (isTaken) return
  const deadline = performance.now() + deafMs
  response.on('drain', bell.ring)
  while (!response.destroyed && response.writableNeedDrain) {
    if (performance.now() >= deadline) response.destroy()
    bell.reset()
    await bell.wait(Math.min(KEEP_ALIVE_MS, Math.max(0, deadline - performance.now())))
  }
  response.off('drain', bell.ring)
  bell.ring()
}
