// What a client may request, inferred from a route table: method and path name the route; parameters, query, body and
// response follow from its row. Only types: a client loads none of the server's code.
import type * as z from 'zod/mini'
import type { PathParams, TypedShape } from './route-table.ts'

/** The rows by name, as they are in the table: `GET /api/sessions/:id`. */
export type TableOf<Row extends { method: string; path: string }> = { [R in Row as `${R['method']} ${R['path']}`]: R }

// biome-ignore lint/suspicious/noExplicitAny: only the types of its row are wanted
type Parts<R> = R extends TypedShape<any, infer P, infer Q, infer B, infer A> ? { P: P; Q: Q; B: B; A: A } : never

export type BodyIn<Table, N extends keyof Table> = z.infer<Parts<Table[N]>['B']>
export type AnswerIn<Table, N extends keyof Table> = z.infer<Parts<Table[N]>['A']>

type ParamsPart<P extends string> = [PathParams<P>] extends [never] ? object : { params: Record<PathParams<P>, string> }
type QueryPart<Q extends string> = [Q] extends [never]
  ? object
  : { query?: Partial<Record<Q, string | number | boolean | undefined>> }
type BodyPart<I> = [I] extends [undefined] ? object : Record<string, never> extends I ? { body?: I } : { body: I }

export interface AskExtras {
  headers?: Record<string, string>
  signal?: AbortSignal | undefined
}

export type AskIn<Table, N extends keyof Table> = AskExtras &
  ParamsPart<Parts<Table[N]>['P']> &
  QueryPart<Parts<Table[N]>['Q']> &
  BodyPart<z.input<Parts<Table[N]>['B']>>

/** What a caller passes beside the name; nothing, when the route needs nothing. */
export type AskArgumentsIn<Table, N extends keyof Table> =
  object extends AskIn<Table, N> ? [ask?: AskIn<Table, N>] : [ask: AskIn<Table, N>]
