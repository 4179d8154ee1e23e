// `gh api`'s arguments as a request: method, path, query, body, headers.

import { readText } from '../../cli/arguments/read-text.ts'
import type { Io } from '../../cli/print/io.ts'
import { isObject } from '../../core/text/json-fields.ts'
import { tryGit } from '../../git/git.ts'
import { GhError } from '../gh-error.ts'
import type { GhArguments } from '../gh-flags.ts'
import { JSON_FLAGS } from '../gh-json.ts'
import { OWNER } from '../which-repo.ts'

export const API_FLAGS = {
  method: { short: 'X', value: true },
  field: { short: 'F', value: true },
  'raw-field': { short: 'f', value: true },
  header: { short: 'H', value: true },
  include: { short: 'i' },
  input: { value: true },
  jq: JSON_FLAGS.jq,
  template: JSON_FLAGS.template,
  paginate: {},
  slurp: {},
  silent: {},
  // Every response is fresh, and there is one API: both hold anyway.
  cache: { value: true },
  preview: { short: 'p', value: true },
  hostname: { value: true, refused: 'this project has no server but ao' },
  verbose: { refused: 'there is no traffic to show; use --include' },
} as const

export interface ApiRequest {
  method: string
  /** Without its query, without a slash at either end. */
  path: string
  query: Map<string, string>
  /** undefined: none was given. */
  body: unknown
  headers: Map<string, string>
}

const METHODS = ['GET', 'POST', 'PATCH', 'PUT', 'DELETE', 'HEAD']

export async function readRequest(args: GhArguments<typeof API_FLAGS>, projectId: string, io: Io): Promise<ApiRequest> {
  const fill = (text: string) => fillPlaceholders(text, projectId, io)
  const { path, query } = splitPath(await fill(args.positionals[0]!))
  const fields = await readFields(args, fill, io)
  const input = args.value('input')
  const hasFields = Object.keys(fields).length > 0
  const body = input === undefined ? (hasFields ? fields : undefined) : parseBody(await readText(input, io))
  const method = (args.value('method') ?? (body === undefined ? 'GET' : 'POST')).toUpperCase()
  if (!METHODS.includes(method)) throw new GhError(`the HTTP method ${method} is not available here`)
  const headers = new Map(args.values('header').map(readHeader))
  // With --input or GET, fields belong to the query.
  const asQuery = method === 'GET' || method === 'HEAD' || input !== undefined
  if (asQuery) for (const [name, value] of Object.entries(fields)) query.set(name, queryValue(value))
  return { method, path, query, headers, body: asQuery && input === undefined ? undefined : body }
}

/** `{owner}`, `{repo}`, `{branch}`, and the older `:owner`. */
async function fillPlaceholders(text: string, projectId: string, io: Io): Promise<string> {
  const filled = text
    .replaceAll('{owner}', OWNER)
    .replaceAll('{repo}', projectId)
    .replace(/(^|\/):owner(?=\/|$)/g, `$1${OWNER}`)
    .replace(/(^|\/):repo(?=\/|$)/g, `$1${projectId}`)
  if (!filled.includes('{branch}')) return filled
  const branch = await tryGit(io.cwd, ['symbolic-ref', '--quiet', '--short', 'HEAD'], { env: io.env, read: true })
  if (!branch.ok) throw new GhError('unable to determine a value for {branch}: not on any branch')
  return filled.replaceAll('{branch}', branch.stdout.trim())
}

function splitPath(given: string): { path: string; query: Map<string, string> } {
  const local = given.replace(/^https?:\/\/(?:localhost|127\.0\.0\.1)(?::\d+)?\//, '')
  if (/^[a-z]+:\/\//i.test(local)) throw new GhError(`${given} is not on this machine, and ao asks no other server`)
  const [path = '', search = ''] = local.split('?')
  const clean = path.replace(/^\/+|(?<!\/)\/+$/g, '').replace(/^api\/v3\//, '')
  return { path: clean === 'api/graphql' ? 'graphql' : clean, query: new Map(new URLSearchParams(search)) }
}

async function readFields(
  args: GhArguments<typeof API_FLAGS>,
  fill: (text: string) => Promise<string>,
  io: Io,
): Promise<Record<string, unknown>> {
  const fields: Record<string, unknown> = {}
  for (const given of args.values('raw-field')) {
    const [key, value] = splitField(given)
    setField(fields, key, value)
  }
  for (const given of args.values('field')) {
    const [key, value] = splitField(given)
    setField(fields, key, await typedValue(value, fill, io))
  }
  return fields
}

function splitField(given: string): [key: string, value: string] {
  const at = given.indexOf('=')
  if (at > 0) return [given.slice(0, at), given.slice(at + 1)]
  // gh treats `key[]` alone as an empty list.
  if (/\[\]$/.test(given)) return [given, '']
  throw new GhError(`field "${given}" requires a value separated by an '=' sign`)
}

/** gh's "magic type conversion" of -F. */
async function typedValue(value: string, fill: (text: string) => Promise<string>, io: Io): Promise<unknown> {
  if (value.startsWith('@')) return readText(value.slice(1), io)
  if (/^-?\d+$/.test(value) && Number.isSafeInteger(Number(value))) return Number(value)
  if (value === 'true' || value === 'false') return value === 'true'
  return value === 'null' ? null : fill(value)
}

function readHeader(given: string): [string, string] {
  const at = given.indexOf(':')
  if (at > 0) return [given.slice(0, at).trim().toLowerCase(), given.slice(at + 1).trim()]
  throw new GhError(`header "${given}" requires a value separated by ':'`)
}

function parseBody(text: string): unknown {
  if (text.trim() === '') return undefined
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new GhError(`the body is not valid JSON: ${(error as Error).message}`)
  }
}

function queryValue(value: unknown): string {
  return Array.isArray(value) ? value.join(',') : String(value)
}

// `-f a[b][]=x`: gh's way of writing nested bodies.

/** Sets the value at the key's path; a key that needs two shapes at once is refused. */
export function setField(fields: Record<string, unknown>, key: string, value: unknown): void {
  const [, first, rest] = /^([^[\]]+)((?:\[[^[\]]*\])*)$/.exec(key) ?? []
  if (first === undefined) throw new GhError(`invalid key: "${key}"`)
  const steps = [first, ...[...rest!.matchAll(/\[([^[\]]*)\]/g)].map(([, step]) => step!)]
  if (steps.some((step) => step === '__proto__')) throw new GhError(`invalid key: "${key}"`)
  let at: Record<string, unknown> | unknown[] = fields
  steps.forEach((step, index) => {
    const next = steps[index + 1]
    at = next === undefined ? put(at, step, value, key) : open(at, step, next, key)
  })
}

type Container = Record<string, unknown> | unknown[]

function put(at: Container, step: string, value: unknown, key: string): Container {
  if (Array.isArray(at)) {
    if (step !== '') throw clash(key)
    if (value !== '') at.push(value)
  } else {
    if (Object.hasOwn(at, step)) throw new GhError(`unexpected override existing field under "${step}"`)
    at[step] = value
  }
  return at
}

function open(at: Container, step: string, next: string, key: string): Container {
  const fresh: Container = next === '' ? [] : {}
  if (Array.isArray(at)) {
    if (step !== '') throw clash(key)
    // `a[][b]=1 a[][c]=2 a[][b]=3`: one object until a key repeats.
    const last = at.at(-1)
    if (isObject(last) && !Array.isArray(fresh) && !Object.hasOwn(last, next)) return last
    at.push(fresh)
    return fresh
  }
  if (!Object.hasOwn(at, step)) at[step] = fresh
  const there = at[step]
  if (typeof there !== 'object' || there === null || Array.isArray(there) !== Array.isArray(fresh)) throw clash(key)
  return there as Container
}

function clash(key: string): GhError {
  return new GhError(`the field "${key}" contradicts an earlier one`)
}
