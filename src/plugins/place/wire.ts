// The protocol between home and a host: HTTP/2 over one channel. It brings streams with flow control, so that a slow viewer
// never holds up anything else. Requests and answers are JSON, or lines of it, or raw bytes of a pack.
import type { Duplex, Readable, Writable } from 'node:stream'
import type * as z from 'zod/mini'
import { splitLines } from '../../host/split-lines.ts'
import { sleep } from '../../lib/clock.ts'

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

/** Of one line: the text of a pull request, as JSON writes bytes. */
const MAX_LINE_BYTES = 6 * 1024 * 1024
/** Reading a stream's lines may take this much time at once, and after that a tenth of it: a flood leaves the rest to all others. */
const CREDIT_MS = 200
const SHARE = 0.1

/**
 * Calls `onLine` with each JSON line that fits; others are of another version. While it returns a promise, nothing more is read.
 * Resolves at the end of the stream, however it came.
 */
export function readJsonLines<S extends z.ZodMiniType>(
  stream: Duplex,
  schema: S,
  onLine: (value: z.infer<S>) => void | Promise<void>,
): Promise<void> {
  return new Promise((resolve) => {
    let lines: string[] = []
    let isBusy = false
    let isOver = false
    let debt = 0
    let paid = performance.now()
    const feed = splitLines(MAX_LINE_BYTES, (line) => line !== '' && lines.push(line))
    const take = (line: string) => {
      const read = schema.safeParse(JSON.parse(line))
      return read.success ? onLine(read.data as z.infer<S>) : undefined
    }
    const work = () => {
      isBusy = true
      const turn = lines
      const waitFor = (next: Promise<unknown>, from: number) => {
        lines = [...turn.slice(from), ...lines]
        stream.pause()
        void next.then(work)
      }
      lines = []
      for (const [index, line] of turn.entries()) {
        const began = performance.now()
        debt = Math.max(0, debt - (began - paid) * SHARE)
        let taking: void | Promise<void>
        try {
          taking = take(line)
        } catch (error) {
          lines = []
          stream.destroy(error as Error)
          break
        }
        paid = performance.now()
        debt += paid - began
        if (taking) return waitFor(taking, index + 1)
        if (debt > CREDIT_MS) return waitFor(sleep((debt - CREDIT_MS) / SHARE), index + 1)
      }
      isBusy = false
      if (isOver) resolve()
      else stream.resume()
    }
    stream.on('data', (chunk: Buffer) => {
      if (!feed(chunk, 0)) stream.destroy(new Error('a line is too long'))
      else if (!isBusy) work()
    })
    const end = () => {
      isOver = true
      if (!isBusy) resolve()
    }
    stream.on('error', end)
    stream.on('close', end)
    stream.on('end', end)
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
