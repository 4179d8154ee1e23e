// fetch with limits: on time, including the body, and on size. A body that is too long is cut to its end or refused.

import { outgoingFetch } from './outgoing-fetch.ts'

export interface FetchBounds {
  timeoutMs: number
  /** A longer body is an error. */
  maxBytes: number
  /** Keep only the last bytes of the body, for logs. `maxBytes` limits what is read to get there. */
  tailBytes?: number | undefined
}

class BodyTooLargeError extends Error {
  constructor(url: string, limit: number) {
    super(`The answer of ${new URL(url).host} is longer than ${limit} bytes`)
    this.name = 'BodyTooLargeError'
  }
}

export async function boundedFetch(url: string, init: RequestInit, bounds: FetchBounds): Promise<Response> {
  const signal = AbortSignal.timeout(bounds.timeoutMs)
  try {
    const response = await outgoingFetch(url, { ...init, signal })
    const body = await readBody(response, url, bounds)
    const { status, statusText, headers } = response
    const bodyless = status === 204 || status === 205 || status === 304
    return new Response(bodyless ? null : new Uint8Array(body), { status, statusText, headers })
  } catch (error) {
    if (!signal.aborted) throw error
    throw new Error(`${new URL(url).host} did not answer within ${bounds.timeoutMs / 1000} s`, { cause: error })
  }
}

async function readBody(response: Response, url: string, bounds: FetchBounds): Promise<Buffer> {
  if (response.body === null) return Buffer.alloc(0)
  let chunks: Buffer[] = []
  let kept = 0
  let read = 0
  const tail = response.ok ? bounds.tailBytes : undefined
  for await (const chunk of response.body) {
    const bytes = Buffer.from(chunk)
    chunks.push(bytes)
    kept += bytes.length
    read += bytes.length
    if (read > bounds.maxBytes) {
      // Leaving the loop cancels the stream. A partial log is better than nothing.
      if (tail !== undefined) break
      throw new BodyTooLargeError(url, bounds.maxBytes)
    }
    if (tail !== undefined && kept > 2 * tail) {
      chunks = [Buffer.concat(chunks).subarray(-tail)]
      kept = tail
    }
  }
  const all = Buffer.concat(chunks)
  return tail !== undefined && all.length > tail ? all.subarray(-tail) : all
}
