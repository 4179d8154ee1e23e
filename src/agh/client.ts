// The typed client of the daemon, over its socket: method, path, query, body and response of each call are inferred from
// the route tables. Only their types are imported, so that a short command loads none of the daemon's code. A request that
// takes long because there is much to do is waited for; a daemon that no longer answers anything is not.
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { parseSessionEvent, type SessionEvent } from '../contract/agh/events.ts'
import { DAEMON_PROTOCOL, PROTOCOL_HEADER } from '../contract/agh/protocol.ts'
import { AoError, ERROR_TABLE, type ErrorCode } from '../contract/errors.ts'
import { fillOlderAnswer } from '../core/agh/older-answer.ts'
import { fillRoute } from '../core/text/route-request.ts'
import { askSocket } from '../http/ask-socket.ts'
import type { AnswerIn, AskArgumentsIn, AskExtras, TableOf } from '../http/route-client.ts'
import { withSocketPath } from '../lib/process/socket-path.ts'
import type { DRIVER_ROUTES } from './daemon/routes/driver-routes.ts'
import type { allRoutes } from './daemon/routes/routes.ts'

type Row = ReturnType<typeof allRoutes>[number] | (typeof DRIVER_ROUTES)[number]
type Table = TableOf<Row>

/** As in the route table: `GET /api/sessions/:id`. */
export type RouteName = keyof Table
/** Those that answer with events. */
type StreamName = Extract<RouteName, 'GET /api/sessions/:id/stream' | 'POST /api/sessions/:id/prompt'>

export type AnswerOf<N extends RouteName> = AnswerIn<Table, N>
export type AskArguments<N extends RouteName> = AskArgumentsIn<Table, N>

export type Call = <N extends RouteName>(name: N, ...ask: AskArguments<N>) => Promise<AnswerOf<N>>

export async function callDaemon<N extends RouteName>(
  socket: string,
  name: N,
  ...[ask]: AskArguments<N>
): Promise<AnswerOf<N>> {
  return (await sendRequest(socket, toRequest(name, ask))).value as AnswerOf<N>
}

/** For a daemon that may be older than we are: `onOlder` is told, and what its answer lacks is filled in. */
export async function callAnyDaemon<N extends RouteName>(
  socket: string,
  onOlder: () => void,
  name: N,
  ...[ask]: AskArguments<N>
): Promise<AnswerOf<N>> {
  const { value, protocol } = await sendRequest(socket, toRequest(name, ask))
  if (protocol >= DAEMON_PROTOCOL) return value as AnswerOf<N>
  onOlder()
  return fillOlderAnswer(name, value) as AnswerOf<N>
}

/** The events of a stream, one at a time, until it ends. */
export async function* followDaemon<N extends StreamName>(
  socket: string,
  name: N,
  ...[ask]: AskArguments<N>
): AsyncGenerator<SessionEvent> {
  for await (const frames of followRequest(socket, toRequest(name, ask))) {
    for (const { data } of frames) yield parseSessionEvent(data)
  }
}

/** The same without parsing them, in batches as they arrive. */
export function followFrames<N extends StreamName>(
  socket: string,
  name: N,
  ...[ask]: AskArguments<N>
): AsyncGenerator<Frame[]> {
  return followRequest(socket, toRequest(name, ask))
}

interface LooseAsk extends AskExtras {
  params?: Record<string, string> | undefined
  query?: Record<string, string | number | boolean | undefined> | undefined
  body?: object
}

/** Of a path: a server ends a connection whose first lines are longer than its limit, without a word. */
const LONGEST_WORD = 4_000

function toRequest(name: string, ask: object = {}) {
  const { params, query, body, headers, signal } = ask as LooseAsk
  const long = Object.entries({ ...params, ...query }).find(([, value]) => String(value).length > LONGEST_WORD)
  if (long)
    throw new AoError('USAGE', `The ${long[0]} has ${String(long[1]).length} characters; ${LONGEST_WORD} are possible`)
  return { ...fillRoute(name, { params, query }), body, headers, signal }
}

export interface DaemonRequest {
  method?: string | undefined
  /** Including its query. */
  path: string
  body?: object | undefined
  headers?: Record<string, string> | undefined
  signal?: AbortSignal | undefined
}

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

/** After this long without a response, and at this interval, the daemon is checked for whether it still answers at all. */
const QUIET_MS = 5_000
/** Even under the heaviest load a daemon answers within a fraction of this. */
const FROZEN_MS = 15_000

/** `act` gets a signal that aborts the request. */
async function whileDaemonAnswers<T>(
  socket: string,
  given: AbortSignal | undefined,
  act: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const frozen = new AbortController()
  const signal = given ? AbortSignal.any([given, frozen.signal]) : frozen.signal
  const timer = setInterval(() => void checkAnswers(socket, frozen), QUIET_MS)
  try {
    return await act(signal)
  } finally {
    clearInterval(timer)
  }
}

async function checkAnswers(socket: string, frozen: AbortController): Promise<void> {
  const signal = AbortSignal.timeout(FROZEN_MS)
  try {
    await askSocket(socket, { method: 'GET', path: '/api/daemon/status', headers: {}, body: undefined, signal })
  } catch {
    // A daemon that has ended ends the request too; only silence proves nothing.
    if (signal.aborted) frozen.abort(noAnswer())
  }
}

function noAnswer(): AoError {
  return new AoError('TIMEOUT', `The agh daemon has not answered for ${FROZEN_MS / 1_000} s`, {
    hint: 'End it with: agh daemon stop. Its sessions are repaired at the next start',
  })
}
