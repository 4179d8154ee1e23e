// A description: the fields of one thing under the names of GitHub's GraphQL schema, some computed when they are read. `--json` and
// REST are tables over descriptions. A field that the schema does not have is for the tables alone: GraphQL cannot ask for it.
import { GhError } from '../gh-error.ts'
import type { Gh } from '../open-gh.ts'

export type Node = Record<string, unknown>
export type Args = Record<string, unknown>

export interface Field {
  /** The arguments it honours; any other is refused. */
  honours: readonly string[]
  read(args: Args): unknown
  /** Of a paged list: everything in it. */
  all?(): Promise<Node[]>
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

/** GraphQL shows `extensions` beside the message. */
class RefusalError extends GhError {
  readonly extensions: { type: string }
  constructor(message: string, type: string) {
    super(message)
    this.extensions = { type }
  }
}

export function refuse(message: string, type = 'NOT_IMPLEMENTED'): GhError {
  return new RefusalError(message, type)
}

export function unresolved(what: string): GhError {
  return refuse(`Could not resolve to ${what}.`, 'NOT_FOUND')
}

interface PageArgs extends Args {
  first?: number | null
  last?: number | null
  after?: string | null
  before?: string | null
}

export const PAGE = ['first', 'last', 'after', 'before']
const MOST = 100

/** `list` gets the other arguments that `honours` names. */
export function connection<T, A extends Args = Args>(
  list: (args: A) => readonly T[] | Promise<readonly T[]>,
  describe: (one: T) => Node,
  honours: readonly string[] = [],
): Field {
  const made = field<A & PageArgs>([...PAGE, ...honours], async (args) => {
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
  made.all = async () => (await list({} as A)).map(describe)
  return made
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

/** How a table fills one key: the field of that name, or what is made of the description. `gh` is for addresses. */
type Row = string | ((node: Node, gh: Gh | null) => unknown)
export type Table = Readonly<Record<string, Row>>

export async function tabulate(
  node: Node,
  table: Table,
  gh: Gh | null = null,
  keys: readonly string[] = Object.keys(table),
): Promise<Node> {
  const values = keys.map(async (key) => {
    const row = table[key]!
    return [key, await (typeof row === 'string' ? readField(node, row) : row(node, gh))] as const
  })
  return Object.fromEntries(await Promise.all(values))
}

/** Of a paged list: all of it. */
export async function readField(node: Node, name: string): Promise<unknown> {
  if (!Object.hasOwn(node, name)) throw new Error(`the description has no ${name}`)
  const value = node[name]
  return isField(value) ? (value.all?.() ?? value.read({})) : value
}

/** A table over the thing, or the list of things, in this field. */
export function within(name: string, table: Table): Row {
  return async (node, gh) => {
    const value = await readField(node, name)
    if (Array.isArray(value)) return Promise.all(value.map((one: Node) => tabulate(one, table, gh)))
    return value === null ? null : tabulate(value as Node, table, gh)
  }
}

/** The same names in the table as in the description. */
export function same(names: string): Table {
  return Object.fromEntries(names.split(' ').map((name) => [name, name]))
}

/** `created_at` is the description's `createdAt`. */
export function snake(names: string): Table {
  return Object.fromEntries(names.split(' ').map((name) => [name, name.replace(/_(.)/g, (_, c) => c.toUpperCase())]))
}

export function always(values: Node): Table {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, () => value]))
}
