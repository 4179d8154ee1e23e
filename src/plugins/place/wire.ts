// The protocol between home and a host: HTTP/2 over one channel. It brings streams with flow control, so that a slow viewer
// never holds up anything else. Requests and answers are JSON, or lines of it, or raw bytes of a pack.
import type { Duplex, Readable, Writable } from 'node:stream'
import type * as z from 'zod/mini'

/** Bounds what one side makes the other keep in memory. */
const MAX_JSON_BYTES = 32 * 1024 * 1024

/** Not `for await`: that takes the end of a stream that was closed at once for a failure. */
export function readAll(stream: Readable, limit = MAX_JSON_BYTES): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    stream.on('data', (chunk: Buffer) => {
      size += chunk.length
      chunks.push(chunk)
      if (size > limit) stream.destroy(new Error(`more than ${limit} bytes arrived`))
    })
    stream.on('end', () => resolve(Buffer.concat(chunks)))
    stream.on('error', reject)
    stream.on('close', () => reject(new Error('the stream was cut off')))
    // Whoever comes too late would wait for ever.
    if (stream.readableEnded) resolve(Buffer.alloc(0))
    else if (stream.destroyed) reject(new Error('the stream was cut off'))
  })
}

/** Calls `onLine` with each JSON line that fits; others are of another version. Resolves at the end of the stream, however it came. */
export function readJsonLines<S extends z.ZodMiniType>(
  stream: Duplex,
  schema: S,
  onLine: (value: z.infer<S>) => void,
): Promise<void> {
  return new Promise((resolve) => {
    let rest = ''
    stream.setEncoding('utf8')
    stream.on('data', (chunk: string) => {
      const lines = (rest + chunk).split('\n')
      rest = lines.pop() ?? ''
      try {
        for (const line of lines) {
          const read = line === '' ? null : schema.safeParse(JSON.parse(line))
          if (read?.success) onLine(read.data as z.infer<S>)
        }
        if (rest.length > MAX_JSON_BYTES) throw new Error('a line is too long')
      } catch (error) {
        stream.destroy(error as Error)
      }
    })
    stream.on('error', () => resolve())
    stream.on('close', () => resolve())
    stream.on('end', () => resolve())
  })
}

export function writeJsonLine(stream: Duplex, value: unknown): void {
  if (stream.writable) stream.write(`${JSON.stringify(value)}\n`)
}

/**
 * Resolves when everything is written, and fails when that cannot be done. Not `pipeline`, which destroys its source when the target
 * closes: the answer to a request is still to be written to that same stream.
 */
export function drainInto(source: Readable, target: Writable): Promise<void> {
  return new Promise((resolve, reject) => {
    const letGo = (error: Error) => {
      source.unpipe(target)
      source.resume()
      reject(error)
    }
    target.on('error', letGo)
    target.on('finish', resolve)
    target.on('close', () => letGo(new Error('it was closed before its end')))
    source.on('error', (error) => target.destroy(error))
    source.on('close', () => source.readableEnded || target.destroy(new Error('the stream was cut off')))
    source.pipe(target)
  })
}

/** Bytes in both directions, until either side ends. */
export function joinStreams(one: Duplex, other: Duplex): void {
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const) {
    from.on('error', () => to.destroy())
    from.on('close', () => to.destroy())
    from.pipe(to)
  }
}
