// The protocol between home and a host: HTTP/2 over one channel. It brings streams with flow control, so that a slow viewer
// never holds up anything else. Requests and answers are JSON, or lines of it, or raw bytes of a pack.
import type { Duplex, Readable, Writable } from 'node:stream'
import type { AskTool } from '../../core/place/check-far-words.ts'
import type { FarReading } from '../../core/place/line/line-state.ts'

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

export async function readJson<T>(stream: Readable): Promise<T> {
  const text = (await readAll(stream)).toString('utf8')
  return JSON.parse(text === '' ? 'null' : text) as T
}

/** Calls `onLine` with each JSON line. Resolves at the end of the stream, however it came. */
export function readJsonLines<T>(stream: Duplex, onLine: (value: T) => void): Promise<void> {
  return new Promise((resolve) => {
    let rest = ''
    stream.setEncoding('utf8')
    stream.on('data', (chunk: string) => {
      const lines = (rest + chunk).split('\n')
      rest = lines.pop() ?? ''
      try {
        for (const line of lines) if (line !== '') onLine(JSON.parse(line) as T)
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

/** What a host says of itself. */
export interface Hello {
  version: string
  name: string
  spawnId: string
  /** Its clock, in milliseconds: clocks may differ. */
  now: number
  /** `none`: not launched yet. `orphaned`: an earlier host was killed, its agent lives on without a terminal. */
  agent: 'none' | 'running' | 'ended' | 'orphaned'
  pid: number | null
  /** Its directory in the place, and the workspace below it. */
  directory: string
  workspace: string
}

/** Answer to `POST /launch`. */
export interface FarLaunched {
  pid: number | null
  /** In its terminal the agent continues an earlier conversation. Absent in older versions. */
  resumed?: boolean
}

/** Numbered and durable on the far side; read from the last number on. */
export type Fact = { n: number; at: number } & (
  | { type: 'launched'; pid: number }
  | { type: 'exit'; exitCode: number | null; signal: string | null; screen: string; why?: string | undefined }
  | { type: 'ask'; id: string; tool: AskTool; argv: string[]; cwd: string }
)

/** Lines of the log: facts, and between them the present state, which is not numbered because only the last one counts. */
export type LogLine =
  | Fact
  | { reading: FarReading }
  | { head: string | null }
  | { connection: WantedConnection }
  /** Why the host cannot say what became of the agent. */
  | { trouble: string }

/** An agent without a network wants to reach this `host:port`. */
export interface WantedConnection {
  id: string
  target: string
}

/** What `GET /work` sends ahead of the pack. */
export interface FarWork {
  /** `refs/heads/…`; null while HEAD is detached. */
  ref: string | null
  head: string
  /** The working tree as a commit on top of `head`: everything that git does not ignore. */
  work: string
  tree: string
}

/** Frames of a forwarded command, home to place. */
export type AskFrame = { out: string } | { err: string } | { exit: number }
