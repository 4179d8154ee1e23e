// One request to the daemon over its socket: its JSON response, or its stream of events.
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { AoError, ERROR_TABLE, type ErrorCode } from '../../contract/errors.ts'
import { askSocket } from '../../http/ask-socket.ts'
import { withSocketPath } from '../../http/socket-path.ts'
import { whileDaemonAnswers } from './while-daemon-answers.ts'

export interface DaemonRequest {
  method?: string | undefined
  /** Including its query. */
  path: string
  body?: object | undefined
  headers?: Record<string, string> | undefined
  signal?: AbortSignal | undefined
}

/** On every response of the daemon: what it can do. */
export const PROTOCOL_HEADER = 'agh-protocol'

export interface DaemonAnswer {
  value: unknown
  /** 1: from before daemons said it. */
  protocol: number
}

export async function sendRequest(socket: string, request: DaemonRequest): Promise<DaemonAnswer> {
  const { method = 'GET', path } = request
  const body = request.body === undefined ? undefined : JSON.stringify(request.body)
  const type: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' }
  const question = { method, path, headers: { ...type, ...request.headers }, body }
  const { status, text, header } = await whileDaemonAnswers(socket, request.signal, (signal) =>
    askSocket(socket, { ...question, signal }),
  ).catch((error) => {
    throw explain(error)
  })
  if (status >= 400) throw readError(text)
  return { value: JSON.parse(text) as unknown, protocol: Number(header(PROTOCOL_HEADER) ?? 1) }
}

/** One event of a stream: its type, and the event itself as JSON text. */
export interface Frame {
  type: string
  data: string
}

/** The events of a stream until it ends, in batches as they arrive. */
export async function* followRequest(socket: string, request: DaemonRequest): AsyncGenerator<Frame[]> {
  const response = await whileDaemonAnswers(socket, request.signal, (signal) => open(socket, { ...request, signal }))
  if ((response.statusCode ?? 500) >= 400) throw readError(await readAll(response))
  let frames: Frame[] = []
  const { createParser } = await import('eventsource-parser')
  const parser = createParser({ onEvent: ({ event = 'message', data }) => frames.push({ type: event, data }) })
  response.setEncoding('utf8')
  for await (const chunk of response) {
    parser.feed(chunk as string)
    if (frames.length === 0) continue
    const ready = frames
    frames = []
    yield ready
  }
}

function open(
  socket: string,
  { method = 'GET', path, body, headers, signal }: DaemonRequest,
): Promise<IncomingMessage> {
  const text = body === undefined ? undefined : JSON.stringify(body)
  const type =
    text === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }
  const options = { path, method, headers: { ...type, ...headers }, ...(signal ? { signal } : {}) }
  return withSocketPath(
    socket,
    (socketPath) =>
      new Promise((resolve, reject) => {
        const request = httpRequest({ socketPath, ...options }, resolve)
        request.once('error', (error) => reject(explain(error)))
        request.end(text)
      }),
  )
}

function explain(error: NodeJS.ErrnoException): Error {
  const isAbsent = error.code === 'ENOENT' || error.code === 'ECONNREFUSED'
  return isAbsent ? new AoError('DAEMON_NOT_RUNNING', 'The agh daemon is not running', { cause: error }) : error
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
    const errorCode = Object.hasOwn(ERROR_TABLE, code) ? (code as ErrorCode) : 'INTERNAL'
    return new AoError(errorCode, message, { ...(hint === undefined ? {} : { hint }), ...(details ? { details } : {}) })
  } catch {
    // Not our daemon, or an incomplete response: its text is all there is to show.
    return new AoError('INTERNAL', `The daemon answered: ${text.slice(0, 500)}`)
  }
}
