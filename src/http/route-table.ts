// A server's routes as a table: one row per route, from which requests are answered, access is tested and OpenAPI is
// generated. Our own code, because the clients' types come from the rows; matching the last of 80 of them takes 2.6 µs.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type * as z from 'zod/mini'
import { AoError } from '../contract/errors.ts'
import type { Rights } from '../core/boundary/rights.ts'
import type { Log } from '../lib/log.ts'
import { parseBody, readBytes, sendError, sendErrorJson, sendJson, toAoError } from './exchange.ts'
import { type KeptAnswer, type RequestKeys, readRequestKey } from './request-keys.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

export interface Call<Context, Caller, Body = unknown> {
  context: Context
  /** Who asks: found once, before anything of the route ran. */
  caller: Caller
  request: IncomingMessage
  response: ServerResponse
  /** The path segments at `:name`, decoded. */
  params: Record<string, string>
  query: URLSearchParams
  /** Validated against the route's schema; undefined without one. */
  body: Body
}

/** What a route is, apart from how it is answered. */
export interface RouteShape {
  method: Method
  /** With `:name` for a variable segment. */
  path: string
  /** What it does, for the API's description. */
  summary: string
  /** What a caller inside a session may request of it, where the server asks who that is. Without this: nothing. */
  inside?: Rights
  /** Name and meaning of the query parameters. */
  query?: Record<string, string>
  body?: z.ZodMiniType
  /** What its body may have; absent: as much as any. */
  mostBytes?: number
  /** Of a successful response; 200 by default. */
  status?: number
  /** The schema of a successful response, when it is JSON. */
  answer?: z.ZodMiniType
  /** The media type of a response that is not a JSON object, such as `text/event-stream`. */
  stream?: string
  /** What it answers is worthless when it is sent again: it takes no `Idempotency-Key`. */
  notIdempotent?: true
}

export interface Route<Context, Caller> extends RouteShape {
  /** The response as an object; undefined: the route has responded itself. */
  handle(call: Call<Context, Caller, never>): Promise<unknown>
}

/** A route that keeps its types, so that a client can be inferred from the table. */
export interface TypedShape<
  M extends Method,
  P extends string,
  Q extends string,
  B extends z.ZodMiniType,
  A extends z.ZodMiniType,
> extends RouteShape {
  method: M
  path: P
  query?: Record<Q, string>
  body?: B
  answer?: A
}

export interface TypedRoute<
  Context,
  Caller,
  M extends Method,
  P extends string,
  Q extends string,
  B extends z.ZodMiniType,
  A extends z.ZodMiniType,
> extends TypedShape<M, P, Q, B, A>,
    Pick<Route<Context, Caller>, 'handle'> {}

/** A row whose two sides are programs of their own: each has the row, and only one of them its handler. */
export function routeShape<
  const M extends Method,
  const P extends string,
  const Q extends string = never,
  B extends z.ZodMiniType = z.ZodMiniType<undefined, undefined>,
  A extends z.ZodMiniType = z.ZodMiniType<unknown>,
>(row: TypedShape<M, P, Q, B, A>): TypedShape<M, P, Q, B, A> {
  return row
}

/** `/a/:id/b/:name` → `'id' | 'name'`. */
export type PathParams<P extends string> = P extends `${string}:${infer Name}/${infer Rest}`
  ? Name | PathParams<Rest>
  : P extends `${string}:${infer Name}`
    ? Name
    : never

export interface TypedCall<Context, Caller, P extends string, B extends z.ZodMiniType>
  extends Call<Context, Caller, z.infer<B>> {
  params: Record<PathParams<P>, string>
}

/** How the rows of a table for `Context` are written: parameters, body and response are checked against the row itself. */
export function routesIn<Context, Caller>() {
  return <
    const M extends Method,
    const P extends string,
    const Q extends string = never,
    B extends z.ZodMiniType = z.ZodMiniType<undefined, undefined>,
    A extends z.ZodMiniType = z.ZodMiniType<unknown>,
  >(
    row: Omit<TypedRoute<Context, Caller, M, P, Q, B, A>, 'handle'> & {
      /** undefined: the route has responded itself. */
      handle(call: TypedCall<Context, Caller, P, B>): Promise<z.infer<NoInfer<A>> | undefined>
    },
  ): TypedRoute<Context, Caller, M, P, Q, B, A> => row as TypedRoute<Context, Caller, M, P, Q, B, A>
}

export interface Router<Context, Caller> {
  routes: readonly Route<Context, Caller>[]
  /** Answers the request, even when that fails. */
  answer(context: Context, request: IncomingMessage, response: ServerResponse): Promise<void>
}

export interface RouterOptions<Context, Caller> {
  log: Log
  docs: string
  /** Where requests with an `Idempotency-Key` are kept; without it the header means nothing here. */
  keys?(context: Context): RequestKeys
  /**
   * Who asks. Throws when the caller may not, before anything of the row runs. `asked` is null for a route that does not exist,
   * which only callers who have access are told.
   */
  admit(
    context: Context,
    request: IncomingMessage,
    requested: AskedRoute<Context, Caller> | null,
  ): Caller | Promise<Caller>
}

export interface AskedRoute<Context, Caller> {
  row: Route<Context, Caller>
  params: Readonly<Record<string, string>>
}

export function createRouter<Context, Caller>(
  routes: readonly Route<Context, Caller>[],
  options: RouterOptions<Context, Caller>,
): Router<Context, Caller> {
  const compiled = routes.map((row) => ({ row, pattern: patternOf(row.path) }))
  return {
    routes,
    async answer(context, request, response) {
      try {
        const { path, query } = readTarget(request.url ?? '/')
        const isHead = request.method === 'HEAD'
        const method = isHead ? 'GET' : request.method
        const found = compiled.find(({ row, pattern }) => row.method === method && pattern.test(path))
        const params = found ? readParams(found.pattern, path) : {}
        const caller = await options.admit(context, request, found ? { row: found.row, params } : null)
        if (!found) throw noRoute(request.method, path, options.docs)
        // A stream has no end to wait for; other responses are produced, and sent without their body.
        if (isHead && found.row.stream) return void response.writeHead(200, { 'content-type': found.row.stream }).end()
        const key = options.keys && method === 'POST' ? keyFor(found.row, request) : null
        const bytes = found.row.body || key !== null ? await readBytes(request, found.row.mostBytes) : Buffer.alloc(0)
        const body = found.row.body ? parseBody(request, bytes, found.row.body, options.docs) : undefined
        const call = { context, caller, request, response, params, query, body: body as never }
        if (key === null) {
          const result = await found.row.handle(call)
          if (result !== undefined) sendJson(response, found.row.status ?? 200, result)
          return
        }
        const content = Buffer.concat([Buffer.from(`${method} ${request.url}\n`), bytes])
        const kept = await options.keys!(context).once({ key, content }, () => keptAnswer(found.row, call, options.log))
        sendKept(response, kept)
      } catch (error) {
        noteInternal(options.log, request, error)
        if (response.headersSent) response.destroy()
        else sendError(response, error)
      }
    },
  }
}

function noteInternal(log: Log, { method, url }: IncomingMessage, error: unknown): void {
  if (error instanceof AoError) return
  log.error(`${method} ${url}: ${error instanceof Error ? error.stack : error}`)
}

function keyFor(row: Route<never, never>, { headers }: IncomingMessage): string | null {
  const header = headers['idempotency-key']
  const key = header === undefined ? null : readRequestKey(header)
  if (key === null || !(row.stream || row.notIdempotent)) return key
  throw new AoError('USAGE', `POST ${row.path} takes no Idempotency-Key`, { hint: 'Send it without that header' })
}

async function keptAnswer<Context, Caller>(
  row: Route<Context, Caller>,
  call: Call<Context, Caller, never>,
  log: Log,
): Promise<KeptAnswer> {
  try {
    return { status: row.status ?? 200, value: await row.handle(call), isError: false }
  } catch (error) {
    noteInternal(log, call.request, error)
    const failure = toAoError(error)
    return { status: failure.httpStatus, value: failure.toJSON(), isError: true }
  }
}

function sendKept(
  response: ServerResponse,
  { answer: { status, value, isError }, isReplay }: { answer: KeptAnswer; isReplay: boolean },
): void {
  if (isReplay) response.setHeader('idempotency-replayed', 'true')
  if (isError) sendErrorJson(response, status, value as ReturnType<AoError['toJSON']>)
  else sendJson(response, status, value)
}

/** As it was sent: `URL` would resolve `..`, and such a name would request something else. */
function readTarget(target: string): { path: string; query: URLSearchParams } {
  if (!target.startsWith('/')) {
    const { pathname, searchParams } = new URL(target, 'http://localhost')
    return { path: pathname, query: searchParams }
  }
  const end = target.indexOf('?')
  if (end === -1) return { path: target, query: new URLSearchParams() }
  return { path: target.slice(0, end), query: new URLSearchParams(target.slice(end + 1)) }
}

/** An integer from the query, or the default. */
export function readCount(query: URLSearchParams, name: string, byDefault: number): number {
  const text = query.get(name)
  if (text === null) return byDefault
  const value = Number(text)
  if (text !== '' && Number.isSafeInteger(value) && value >= 0) return value
  throw new AoError('USAGE', `${name} must be a number, not ${text}`)
}

function patternOf(path: string): RegExp {
  const source = path.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/:([A-Za-z]+)/g, '(?<$1>[^/]+)')
  return new RegExp(`^${source}$`)
}

function readParams(pattern: RegExp, path: string): Record<string, string> {
  const groups = pattern.exec(path)?.groups ?? {}
  try {
    return Object.fromEntries(Object.entries(groups).map(([name, text]) => [name, decodeURIComponent(text)]))
  } catch {
    // An incomplete escape sequence: nothing of that name can exist.
    throw new AoError('USAGE', `The path ${path} is not well formed`)
  }
}

function noRoute(method: string | undefined, path: string, docs: string): AoError {
  return new AoError('ROUTE_NOT_FOUND', `There is no ${method} ${path}`, { hint: `See ${docs}` })
}
