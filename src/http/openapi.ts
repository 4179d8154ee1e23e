// The description of an API as OpenAPI 3.1, generated from its route table. Import it only for that: it loads the JSON
// Schema writer.
import * as z from 'zod/mini'
import type { Route } from './route-table.ts'

export interface ApiDescription {
  title: string
  version: string
  /** What a reader must know before the first request: where it listens, who has access. */
  description?: string
  routes: readonly Pick<
    Route<never, never>,
    'method' | 'path' | 'summary' | 'query' | 'body' | 'status' | 'answer' | 'stream' | 'notIdempotent'
  >[]
  /** POST takes an `Idempotency-Key`. */
  takesKeys?: boolean
  servers: ApiServer[]
  /** By name; a caller needs one of them. Empty: anyone who can reach it may ask. */
  security: Readonly<Record<string, object>>
  /** Schemas shared by several responses, each under its name in `components`. */
  schemas?: Readonly<Record<string, z.ZodMiniType>>
}

export interface ApiServer {
  url: string
  description: string
  variables?: Record<string, { default: string; description: string }>
}

type Json = Record<string, unknown>

export function describeApi(api: ApiDescription): Json {
  const { title, version, description, routes, schemas = {} } = api
  const names = z.registry<{ id: string }>()
  for (const [id, schema] of Object.entries(schemas)) names.add(schema, { id })
  const shared: Json = { Error: ERROR_SCHEMA }
  const paths: Record<string, Json> = {}
  for (const row of routes) {
    const path = row.path.replace(/:([A-Za-z]+)/g, '{$1}')
    paths[path] = { ...paths[path], [row.method.toLowerCase()]: describeRoute(api, row, names, shared) }
  }
  return {
    openapi: '3.1.1',
    info: { title, version, description },
    servers: api.servers,
    security: Object.keys(api.security).map((name) => ({ [name]: [] })),
    paths,
    components: {
      securitySchemes: api.security,
      schemas: shared,
      parameters: api.takesKeys ? { IdempotencyKey: IDEMPOTENCY_KEY } : undefined,
      responses: {
        Error: {
          description: 'It was refused or failed; `code` says why in a word, `hint` what to do',
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
        },
      },
    },
  }
}

type Names = z.core.$ZodRegistry<{ id: string }>

function describeRoute(
  { takesKeys = false }: ApiDescription,
  row: ApiDescription['routes'][number],
  names: Names,
  shared: Json,
): Json {
  const takesKey = takesKeys && row.method === 'POST' && !row.stream && !row.notIdempotent
  const parameters = [
    ...[...row.path.matchAll(/:([A-Za-z]+)/g)].map(([, name]) => parameter(name!, 'path', '')),
    ...Object.entries(row.query ?? {}).map(([name, about]) => parameter(name, 'query', about)),
    ...(takesKey ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []),
  ]
  return {
    operationId: operationId(row.method, row.path),
    summary: row.summary,
    tags: [row.path.split('/')[2] ?? 'api'],
    parameters: parameters.length > 0 ? parameters : undefined,
    requestBody: row.body && describeBody(row.body, names, shared),
    responses: {
      [String(row.status ?? 200)]: describeAnswer(row, names, shared),
      default: { $ref: '#/components/responses/Error' },
    },
  }
}

function describeBody(body: z.ZodMiniType, names: Names, shared: Json): Json {
  return {
    // An absent body is read as an empty object.
    required: !body.safeParse({}).success,
    content: { 'application/json': { schema: toJsonSchema(body, 'input', names, shared) } },
  }
}

function describeAnswer(row: ApiDescription['routes'][number], names: Names, shared: Json): Json {
  const content: Json = {}
  if (row.answer) content['application/json'] = { schema: toJsonSchema(row.answer, 'output', names, shared) }
  if (row.stream) content[row.stream] = { schema: { type: 'string' } }
  const description = row.stream === 'text/event-stream' ? 'Server-sent events' : 'As asked'
  return Object.keys(content).length === 0 ? { description } : { description, content }
}

/** Shared schemas move to `components`, once. */
function toJsonSchema(schema: z.ZodMiniType, io: 'input' | 'output', names: Names, shared: Json): Json {
  const written = z.toJSONSchema(schema, {
    io,
    metadata: names,
    // What JSON Schema cannot express, such as a custom check, is left open.
    unrepresentable: 'any',
    override: ({ jsonSchema }) => {
      // The largest safe integer means nothing to a reader.
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
      // Responses may gain fields; a reader must not break then.
      if (io === 'output' && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties
    },
  })
  const moved = JSON.parse(JSON.stringify(written).replaceAll('"#/$defs/', '"#/components/schemas/')) as Json
  const { $schema: _, $defs, id, ...rest } = moved
  Object.assign(shared, withoutIds($defs as Record<string, Json> | undefined))
  if (typeof id !== 'string') return rest
  shared[id] = rest
  return { $ref: `#/components/schemas/${id}` }
}

function withoutIds(definitions: Record<string, Json> | undefined): Json {
  return Object.fromEntries(
    Object.entries(definitions ?? {}).map(([name, { id: _, ...definition }]) => [name, definition]),
  )
}

function parameter(name: string, location: 'path' | 'query', about: string): Json {
  return {
    name,
    in: location,
    required: location === 'path' || undefined,
    description: about || undefined,
    schema: { type: 'string' },
  }
}

/** `getSessionsIdEvents`: unique, as method and path are. */
function operationId(method: string, path: string): string {
  const parts = path.replace(/^\/api/, '').match(/[A-Za-z0-9]+/g) ?? []
  return method.toLowerCase() + parts.map((word) => word[0]!.toUpperCase() + word.slice(1)).join('')
}

const IDEMPOTENCY_KEY: Json = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'A request that is sent again under the same key within a day is not carried out again: it gets the first answer, with the ' +
    'header `Idempotency-Replayed: true`. The same key with another path or body is refused (422 IDEMPOTENCY_KEY_REUSED). 409 ' +
    'OUTCOME_UNKNOWN: the server ended in between.',
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x21-\\x7e]+$' },
}

const ERROR_SCHEMA: Json = {
  type: 'object',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['code', 'message', 'details'],
      properties: {
        code: { type: 'string' },
        message: { type: 'string' },
        hint: { type: 'string' },
        details: { type: 'object' },
      },
    },
  },
}
