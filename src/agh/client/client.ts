// The typed client of the daemon, over its socket: method, path, query, body and response of each call are inferred from
// the route tables. Only their types are imported, so that a short command loads none of the daemon's code.
import { parseSessionEvent, type SessionEvent } from '../../contract/agh/events.ts'
import { DAEMON_PROTOCOL } from '../../contract/agh/protocol.ts'
import { fillOlderAnswer } from '../../core/agh/older-answer.ts'
import { fillRoute } from '../../core/text/route-request.ts'
import type { AnswerIn, AskArgumentsIn, AskExtras, TableOf } from '../../http/route-client.ts'
import type { DRIVER_ROUTES } from '../daemon/routes/driver-routes.ts'
import type { allRoutes } from '../daemon/routes/routes.ts'
import { type Frame, followRequest, sendRequest } from './send-request.ts'

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

function toRequest(name: string, ask: object = {}) {
  const { params, query, body, headers, signal } = ask as LooseAsk
  return { ...fillRoute(name, { params, query }), body, headers, signal }
}
