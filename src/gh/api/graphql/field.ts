// Lazily computed fields, and paged lists.
import { GraphQLError } from 'graphql'

export type Args = Record<string, unknown>

export interface Field {
  /** The arguments it honours; any other is refused. */
  honours: readonly string[]
  read(args: Args): unknown
}

const FIELDS = new WeakSet<object>()

export function field<A extends Args>(honours: readonly string[], read: (args: A) => unknown): Field {
  const made: Field = { honours, read: read as (args: Args) => unknown }
  FIELDS.add(made)
  return made
}

export function isField(value: unknown): value is Field {
  return typeof value === 'object' && value !== null && FIELDS.has(value)
}

export function refuse(message: string, type = 'NOT_IMPLEMENTED'): GraphQLError {
  return new GraphQLError(message, { extensions: { type } })
}

export function unresolved(what: string): GraphQLError {
  return refuse(`Could not resolve to ${what}.`, 'NOT_FOUND')
}

interface PageArgs extends Args {
  first?: number | null
  last?: number | null
  after?: string | null
  before?: string | null
}

const PAGE = ['first', 'last', 'after', 'before']
const MOST = 100

/** `list` gets the other arguments that `honours` names. */
export function connection<T, A extends Args = Args>(
  list: (args: A) => readonly T[] | Promise<readonly T[]>,
  describe: (one: T) => unknown,
  honours: readonly string[] = [],
): Field {
  return field<A & PageArgs>([...PAGE, ...honours], async (args) => {
    const { from, to, all } = slice(await list(args), args)
    const some = all.slice(from, to)
    const nodes = some.map(describe)
    return {
      totalCount: all.length,
      nodes,
      edges: nodes.map((node, index) => ({ node, cursor: cursorOf(from + index) })),
      pageInfo: {
        hasNextPage: to < all.length,
        hasPreviousPage: from > 0,
        startCursor: some.length === 0 ? null : cursorOf(from),
        endCursor: some.length === 0 ? null : cursorOf(to - 1),
      },
    }
  })
}

function slice<T>(
  all: readonly T[],
  { first, last, after, before }: PageArgs,
): { from: number; to: number; all: readonly T[] } {
  const count = first ?? last
  if (count === undefined || count === null)
    throw refuse(
      'You must provide a `first` or `last` value to properly paginate the connection.',
      'MISSING_PAGINATION_BOUNDARIES',
    )
  if (count < 0 || count > MOST)
    throw refuse(`Requesting ${count} records exceeds the limit of ${MOST} records.`, 'EXCESSIVE_PAGINATION')
  const low = after == null ? 0 : indexOf(after) + 1
  const high = before == null ? all.length : indexOf(before)
  const isFromStart = first !== undefined && first !== null
  const from = isFromStart ? Math.min(low, all.length) : Math.max(low, high - count)
  return { all, from, to: Math.max(from, isFromStart ? Math.min(high, low + count) : high) }
}

function cursorOf(index: number): string {
  return Buffer.from(`cursor:v2:${index}`).toString('base64')
}

function indexOf(cursor: string): number {
  const digits = /^cursor:v2:(\d{1,9})$/.exec(Buffer.from(cursor, 'base64').toString())?.[1]
  if (digits !== undefined) return Number(digits)
  throw refuse(`\`${cursor}\` does not appear to be a valid cursor.`, 'INVALID_CURSOR_ARGUMENTS')
}
