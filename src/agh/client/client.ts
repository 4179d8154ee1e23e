// Talks to the daemon over its socket.
import { request as httpRequest, type IncomingMessage } from 'node:http'
import type { SessionEvent } from '../../contract/agh/events.ts'
import { AoError, ERROR_TABLE, type ErrorCode } from '../../contract/errors.ts'
import { splitLines } from '../acp/split-lines.ts'
import { askSocket } from './ask-socket.ts'

export interface CallOptions {
  method?: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  body?: object
  headers?: Record<string, string>
  signal?: AbortSignal
}

/** Far above any real answer. */
const MAX_ANSWER = 512 * 1024 * 1024

export async function callDaemon<T>(socket: string, path: string, options: CallOptions = {}): Promise<T> {
  const { method = 'GET', headers = {}, signal } = options
  const body = options.body === undefined ? undefined : JSON.stringify(options.body)
  const type: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' }
  const question = { method, path, headers: { ...type, ...headers }, body, signal }
  const { status, text } = await askSocket(socket, question).catch((error) => {
    throw explain(error)
  })
  if (status >= 400) throw readError(text)
  return JSON.parse(text) as T
}

/** One event of a stream: its type, and itself as JSON text. */
export interface Frame {
  type: string
  data: string
}

/** The events of a stream, one after the other, until it ends. */
export async function* followDaemon(
  socket: string,
  path: string,
  options: CallOptions = {},
): AsyncGenerator<SessionEvent> {
  for await (const frames of followFrames(socket, path, options)) {
    for (const { data } of frames) yield JSON.parse(data) as SessionEvent
  }
}

/** The same without reading them: as many at a time as have come. */
export async function* followFrames(socket: string, path: string, options: CallOptions = {}): AsyncGenerator<Frame[]> {
  const response = await open(socket, path, options)
  if ((response.statusCode ?? 500) >= 400) throw readError(await readAll(response))
  let frames: Frame[] = []
  let type = ''
  const feed = splitLines(MAX_ANSWER, (line) => {
    if (line.startsWith('event: ')) type = line.slice(7)
    else if (line.startsWith('data: ')) frames.push({ type, data: line.slice(6) })
  })
  for await (const chunk of response) {
    feed(chunk as Buffer)
    if (frames.length === 0) continue
    const ready = frames
    frames = []
    yield ready
  }
}

function open(socket: string, path: string, options: CallOptions): Promise<IncomingMessage> {
  const body = options.body === undefined ? undefined : JSON.stringify(options.body)
  const type =
    body === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
  const headers = { ...type, ...options.headers }
  const { signal, method = 'GET' } = options
  return new Promise((resolve, reject) => {
    const request = httpRequest({ socketPath: socket, path, method, headers, ...(signal ? { signal } : {}) }, resolve)
    request.once('error', (error) => reject(explain(error)))
    request.end(body)
  })
}

function explain(error: NodeJS.ErrnoException): Error {
  const isAbsent = error.code === 'ENOENT' || error.code === 'ECONNREFUSED'
  return isAbsent ? new AoError('DAEMON_NOT_RUNNING', 'The agh daemon does not run', { cause: error }) : error
}

async function readAll(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}

function readError(text: string): AoError {
  try {
    const { code, message, hint, details } = (
      JSON.parse(text) as { error: { code: string; message: string; hint?: string; details?: Record<string, unknown> } }
    ).error
    const known = Object.hasOwn(ERROR_TABLE, code) ? (code as ErrorCode) : 'INTERNAL'
    return new AoError(known, message, { ...(hint === undefined ? {} : { hint }), ...(details ? { details } : {}) })
  } catch {
    // Not our daemon, or half an answer: its text is all there is to show.
    return new AoError('INTERNAL', `The daemon answered: ${text.slice(0, 500)}`)
  }
}
