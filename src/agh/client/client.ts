// The typed client of the daemon, over its socket: method, path, query, body and answer of each call are inferred from
// the tables of routes. Only their types are imported, so that a short command loads nothing of the daemon.
import type * as z from 'zod/mini'
import { parseSessionEvent, type SessionEvent } from '../../contract/agh/events.ts'
import type { PathParams, TypedRoute } from '../../http/route-table.ts'
import type { DRIVER_ROUTES } from '../daemon/routes/driver-routes.ts'
import type { allRoutes } from '../daemon/routes/routes.ts'
import { type Frame, followRequest, sendRequest } from './send-request.ts'

type Row = ReturnType<typeof allRoutes>[number] | (typeof DRIVER_ROUTES)[number]
type Table = { [R in Row as `${R['method']} ${R['path']}`]: R }

/** As it is in the table: `GET /api/sessions/:id`. */
export type RouteName = keyof Table
/** Those that answer with events. */
type StreamName = Extract<RouteName, 'GET /api/sessions/:id/stream' | 'POST /api/sessions/:id/prompt'>

// biome-ignore lint/suspicious/noExplicitAny: only the types of its place in the table are wanted
type Parts<R> = R extends TypedRoute<any, any, infer P, infer Q, infer B, infer A> ? { P: P; Q: Q; B: B; A: A } : never
type PartsOf<N extends RouteName> = Parts<Table[N]>

export type AnswerOf<N extends RouteName> = z.infer<PartsOf<N>['A']>

interface Extras {
  headers?: Record<string, string>
  signal?: AbortSignal | undefined
}
type ParamsPart<P extends string> = [PathParams<P>] extends [never] ? object : { params: Record<PathParams<P>, string> }
type QueryPart<Q extends string> = [Q] extends [never]
  ? object
  : { query?: Partial<Record<Q, string | number | boolean | undefined>> }
type BodyPart<I> = [I] extends [undefined] ? object : object extends I ? { body?: I } : { body: I }

export type Ask<N extends RouteName> = Extras &
  ParamsPart<PartsOf<N>['P']> &
  QueryPart<PartsOf<N>['Q']> &
  BodyPart<z.input<PartsOf<N>['B']>>

/** What a caller gives beside the name; nothing, when the route needs nothing. */
export type AskArguments<N extends RouteName> = object extends Ask<N> ? [ask?: Ask<N>] : [ask: Ask<N>]

export type Call = <N extends RouteName>(name: N, ...ask: AskArguments<N>) => Promise<AnswerOf<N>>

export async function callDaemon<N extends RouteName>(
  socket: string,
  name: N,
  ...[ask]: AskArguments<N>
): Promise<AnswerOf<N>> {
  return (await sendRequest(socket, toRequest(name, ask))) as AnswerOf<N>
}

/** The events of a stream, one after the other, until it ends. */
export async function* followDaemon<N extends StreamName>(
  socket: string,
  name: N,
  ...[ask]: AskArguments<N>
): AsyncGenerator<SessionEvent> {
  for await (const frames of followRequest(socket, toRequest(name, ask))) {
    for (const { data } of frames) yield parseSessionEvent(data)
  }
}

/** The same without parsing them: as many at a time as have arrived. */
export function followFrames<N extends StreamName>(
  socket: string,
  name: N,
  ...[ask]: AskArguments<N>
): AsyncGenerator<Frame[]> {
  return followRequest(socket, toRequest(name, ask))
}

interface LooseAsk extends Extras {
  params?: Record<string, string>
  query?: Record<string, string | number | boolean | undefined>
  body?: object
}

function toRequest(name: string, ask: object = {}) {
  const { params = {}, query = {}, body, headers, signal } = ask as LooseAsk
  const [method = '', pattern = ''] = name.split(' ')
  const path = pattern.replace(/:([A-Za-z]+)/g, (_, param: string) => encodeURIComponent(params[param] ?? ''))
  const pairs = Object.entries(query).flatMap(([key, value]) => (value === undefined ? [] : [[key, String(value)]]))
  const search = pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`
  return { method, path: `${path}${search}`, body, headers, signal }
}
