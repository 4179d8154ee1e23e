// One row of a table of routes, with the type of its body.
import type * as z from 'zod/mini'
import type { Io } from '../../../cli/io.ts'
import type { Gh } from '../../open-gh.ts'
import type { ApiAnswer } from '../answer.ts'

export interface RestCall<B = unknown> {
  gh: Gh
  io: Io
  params: Record<string, string>
  query: ReadonlyMap<string, string>
  body: B
  accept: 'diff' | 'patch' | ''
}

export interface Route {
  method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  /** Below the repository; a leading slash: not of a repository. */
  path: string
  query?: readonly string[]
  /** The body it accepts; undefined: none. */
  body?: z.ZodMiniType
  isList?: boolean
  /** Also available as a diff or patches. */
  hasDiff?: boolean
  answer(call: RestCall): Promise<ApiAnswer>
}

type Options<S> = Pick<Route, 'query' | 'isList' | 'hasDiff'> & { body?: S }

export function defineRoute<S extends z.ZodMiniType>(
  name: `${Route['method']} ${string}`,
  options: Options<S>,
  answer: (call: RestCall<z.infer<S>>) => Promise<ApiAnswer>,
): Route {
  const [method = '', path = ''] = name.split(' ')
  return { method: method as Route['method'], path, ...options, answer: (call) => answer(call as RestCall<z.infer<S>>) }
}

export const ok = (body: unknown): ApiAnswer => ({ status: 200, body })
export const created = (body: unknown): ApiAnswer => ({ status: 201, body })
export const noContent: ApiAnswer = { status: 204 }
