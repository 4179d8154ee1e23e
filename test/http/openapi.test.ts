// The descriptions of both APIs, judged by a validator that knows OpenAPI, and used by a client that is made from them.
import { Validator } from '@seriousme/openapi-schema-validator'
import { type Document, OpenAPIClientAxios } from 'openapi-client-axios'
import { describe, expect, it } from 'vitest'
import { describeAghApi } from '../../src/agh/daemon/routes/routes.ts'
import { describeDashboardApi } from '../../src/dashboard/server/describe-api.ts'
import { serveProject } from '../dashboard/served-project.ts'

interface Operation {
  operationId: string
  responses: Record<string, { content?: Record<string, { schema: object }> }>
}

interface Api {
  openapi: string
  servers: Array<{ url: string }>
  security: object[]
  components: { securitySchemes: object }
  paths: Record<string, Record<string, Operation>>
}

const apis: Array<[name: string, api: Api]> = [
  ['ao', plain(describeDashboardApi('1.2.3'))],
  ['agh', plain(await describeAghApi())],
]

/** As a client gets it. */
function plain(api: object): Api {
  return JSON.parse(JSON.stringify(api)) as Api
}

describe.each(apis)('the API of %s', (_name, api) => {
  it('is valid OpenAPI 3.1', async () => {
    expect(await new Validator().validate({ ...api })).toMatchObject({ valid: true })
    expect(api.openapi).toMatch(/^3\.1/)
  })

  it('names every schema: generators of clients stumble over one that refers to itself without a name', () => {
    expect(JSON.stringify(api)).not.toContain('__schema')
  })

  it('has an answer with a schema for every operation, each under an id of its own', () => {
    const operations = Object.values(api.paths).flatMap((path) => Object.values(path))
    const untyped = operations.filter(({ responses }) => {
      const good = Object.entries(responses).find(([status]) => /^2/.test(status))?.[1]
      return Object.values(good?.content ?? {}).every(({ schema }) => Object.keys(schema).length === 0)
    })
    expect(untyped.map(({ operationId }) => operationId)).toEqual([])
    expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length)
  })

  it('says where it is', () => {
    expect(api.servers.length).toBeGreaterThan(0)
  })
})

it('the API of ao says which credentials it needs', () => {
  const [, api] = apis[0]!
  expect(api.security).toEqual([{ bearer: [] }])
  expect(api.components.securitySchemes).toMatchObject({ bearer: { type: 'http', scheme: 'bearer' } })
})

it('a client made from the description calls ao', async () => {
  const world = await serveProject({ yaml: ['agent: demo', 'scm: local', 'tracker: local'] })
  try {
    const definition = { ...apis[0]![1], servers: [{ url: `http://127.0.0.1:${world.server.port}` }] }
    const client = await new OpenAPIClientAxios({
      definition: definition as unknown as Document,
      axiosConfigDefaults: { headers: { authorization: `Bearer ${world.token}`, connection: 'close' }, proxy: false },
    }).init()
    const access = await client.getAccess!()
    expect([access.status, access.data]).toMatchObject([200, { signedIn: true }])
    const sessions = await client.getSessions!()
    expect(sessions.status).toBe(200)
  } finally {
    expect(await world.close()).toEqual([])
  }
})
