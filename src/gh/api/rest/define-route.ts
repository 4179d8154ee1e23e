// One row of a table of routes, with the type of its body.
import type * as z from 'zod/mini'
import type { Io } from '../../../cli/print/io.ts'
import type { Pull } from '../../../contract/pull.ts'
import { type Node, type Table, tabulate } from '../../describe/node.ts'
import { type Gh, readPull } from '../../open-gh.ts'
import { type ApiAnswer, ApiError, notFound } from '../answer.ts'

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

/** All of them through the same table. */
export function tabulateAll(nodes: readonly Node[], table: Table, gh: Gh): Promise<Node[]> {
  return Promise.all(nodes.map((node) => tabulate(node, table, gh)))
}

export async function pullOf({ gh, params }: RestCall): Promise<Pull> {
  const pull = await readPull(gh, Number(params.number))
  if (pull !== null) return pull
  throw notFound(`There is no pull request ${params.number}`)
}

export function word<T extends string>(
  query: ReadonlyMap<string, string>,
  name: string,
  choices: readonly T[],
  fallback: T,
): T {
  const given = query.get(name)
  const found = given === undefined ? fallback : choices.find((one) => one === given)
  if (found !== undefined) return found
  throw new ApiError(422, `${name} must be one of ${choices.join(', ')}, not ${given}`)
}

/** `sort` and `direction`, as every list has them, and `since`. */
export function sorted(rows: Node[], query: ReadonlyMap<string, string>, direction: 'asc' | 'desc'): Node[] {
  const field = word(query, 'sort', ['created', 'updated'], 'created') === 'created' ? 'created_at' : 'updated_at'
  const text = (row: Node, key: string) => String(row[key] ?? '')
  const found = rows
    .filter((row) => text(row, 'updated_at') >= (query.get('since') ?? ''))
    .sort((a, b) => (text(a, field) < text(b, field) ? -1 : 1))
  return word(query, 'direction', ['asc', 'desc'], direction) === 'desc' ? found.reverse() : found
}
