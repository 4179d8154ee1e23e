// The page's client: method, path, query, body and response of each call are inferred from the server's route tables. Only
// their types are imported.
import { fillRoute } from '../../../src/core/text/route-request.ts'
import type { DASHBOARD_ROUTES } from '../../../src/dashboard/server/routes.ts'
import type { AnswerIn, AskArgumentsIn, TableOf } from '../../../src/http/route-client.ts'
import { BASE } from './base.ts'
import { RequestError, readFailure } from './request-error.ts'

type Table = TableOf<(typeof DASHBOARD_ROUTES)[number]>

/** As in the route table: `GET /api/sessions/:id`. */
export type RouteName = keyof Table
export type AnswerOf<N extends RouteName> = AnswerIn<Table, N>
export type AskArguments<N extends RouteName> = AskArgumentsIn<Table, N>

interface LooseAsk {
  params?: Record<string, string>
  query?: Record<string, string | number | boolean | undefined>
  body?: unknown
  headers?: Record<string, string>
  signal?: AbortSignal | undefined
}

/** Rejects with a `RequestError`, even when nothing answered. */
export async function ask<N extends RouteName>(name: N, ...[given]: AskArguments<N>): Promise<AnswerOf<N>> {
  const { body = {}, headers, signal, ...params } = (given ?? {}) as LooseAsk
  const { method, path } = fillRoute(name, params)
  const response = await reach(path, {
    method,
    headers: { ...(method !== 'GET' && { 'content-type': 'application/json' }), ...headers },
    ...(method !== 'GET' && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  })
  if (!response.ok) throw await readFailure(response)
  return (await response.json()) as AnswerOf<N>
}

/** The URL of a route, for what is not requested with `ask`: a stream. */
export function pathOf<N extends RouteName>(name: N, ...[given]: AskArguments<N>): string {
  return `${BASE}${fillRoute(name, given as LooseAsk | undefined).path}`
}

async function reach(path: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(`${BASE}${path}`, { credentials: 'same-origin', ...init })
  } catch (error) {
    if (init.signal?.aborted) throw error
    throw new RequestError({
      status: 0,
      code: 'NETWORK',
      message: 'The server does not answer.',
      hint: 'Check whether it is running with: ao status',
    })
  }
}
