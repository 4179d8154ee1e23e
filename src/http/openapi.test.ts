import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { describeApi } from './openapi.ts'

const Thing = z.object({ id: z.string(), size: z.int() })

const routes = [
  {
    method: 'GET',
    path: '/api/things',
    summary: 'All',
    query: { after: 'From here on' },
    answer: z.object({ things: z.array(Thing) }),
  },
  {
    method: 'POST',
    path: '/api/things',
    summary: 'One more',
    body: z.strictObject({ name: z.string() }),
    status: 201,
    answer: z.object({ thing: Thing }),
  },
  {
    method: 'POST',
    path: '/api/things/:id/run',
    summary: 'Run',
    body: z.strictObject({ fast: z._default(z.boolean(), false) }),
    stream: 'text/event-stream',
  },
  { method: 'DELETE', path: '/api/things/:id', summary: 'Away' },
] as const

const description = {
  ...{ title: 'things', version: '1', routes, schemas: { Thing } },
  servers: [{ url: 'http://127.0.0.1:1', description: 'Here' }],
  security: { bearer: { type: 'http', scheme: 'bearer' } },
}
// biome-ignore lint/suspicious/noExplicitAny: a document of JSON
const api = describeApi(description) as any

describe('the description of an API', () => {
  it('is OpenAPI 3.1 with one operation per route, each under its own id', () => {
    expect(api.openapi).toMatch(/^3\.1\./)
    expect(Object.keys(api.paths)).toEqual(['/api/things', '/api/things/{id}/run', '/api/things/{id}'])
    expect(api.paths['/api/things'].post).toMatchObject({
      operationId: 'postThings',
      summary: 'One more',
      tags: ['things'],
    })
    expect(api.paths['/api/things/{id}'].delete).toMatchObject({
      operationId: 'deleteThingsId',
      parameters: [{ name: 'id', in: 'path', required: true }],
      responses: { 200: { description: 'As asked' }, default: { $ref: '#/components/responses/Error' } },
    })
  })

  it('names what answers share once, and points to it', () => {
    expect(api.components.schemas.Thing).toEqual({
      type: 'object',
      properties: { id: { type: 'string' }, size: { type: 'integer' } },
      required: ['id', 'size'],
    })
    expect(api.paths['/api/things'].post.responses[201].content['application/json'].schema.properties.thing).toEqual({
      $ref: '#/components/schemas/Thing',
    })
    expect(JSON.stringify(api)).not.toContain('$defs')
  })

  it('says what a body must hold, when it may be left out, and what is a stream', () => {
    expect(api.paths['/api/things'].post.requestBody).toMatchObject({
      required: true,
      content: { 'application/json': { schema: { required: ['name'] } } },
    })
    const run = api.paths['/api/things/{id}/run'].post
    expect(run.requestBody.required).toBe(false)
    expect(run.responses[200].content).toEqual({ 'text/event-stream': { schema: { type: 'string' } } })
    expect(api.paths['/api/things'].get.parameters).toEqual([
      { name: 'after', in: 'query', description: 'From here on', schema: { type: 'string' } },
    ])
  })
})
