// Server-sent events on a response: its headers, and writing at the reader's own pace.
import type { ServerResponse } from 'node:http'
import type { Writable } from 'node:stream'
import type { Signal } from '../lib/clock.ts'

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

/**
 * Waits until the reader has received it or is gone. `signal` must be raised when the response closes. A reader that
 * receives nothing for `deafMs` is dropped.
 */
export async function writeToStream(
  response: Writable,
  parts: string | ReadonlyArray<string | Buffer>,
  signal: Signal,
  deafMs = Number.POSITIVE_INFINITY,
): Promise<void> {
  // Not corked: node joins synchronous writes anyway, and a corked response may never drain.
  let isTaken = true
  for (const part of typeof parts === 'string' ? [parts] : parts) isTaken = response.write(part)
  if (isTaken) return
  const deadline = performance.now() + deafMs
  response.on('drain', signal.raise)
  while (!response.destroyed && response.writableNeedDrain) {
    if (performance.now() >= deadline) response.destroy()
    signal.reset()
    await signal.wait(Math.min(KEEP_ALIVE_MS, Math.max(0, deadline - performance.now())))
  }
  response.off('drain', signal.raise)
  signal.raise()
}
