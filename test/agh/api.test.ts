import { mkdirSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { describeAghApi, describedRoutes } from '../../src/agh/daemon/routes/routes.ts'
import { type Listeners, openListeners } from '../../src/agh/daemon/serve.ts'
import type { AgentView, HookRunView, SessionView, TurnUsage } from '../../src/contract/agh/answers.ts'
import { ofType } from '../support/agh-events.ts'
import { callDaemon } from '../support/call-agh.ts'
import { waitFor } from '../support/wait-for.ts'
import { type AghHome, type AghHomeOptions, createAghHome } from './agh-home.ts'
import { SAMPLE_PARTS } from './sample-meta.ts'

let agh: AghHome
let listeners: Listeners

async function open(options: AghHomeOptions = {}) {
  agh = createAghHome({ ...options, config: { http: { port: 0 }, ...options.config } })
  listeners = await openListeners(agh.context, SAMPLE_PARTS)
}
afterEach(async () => {
  await listeners.close()
  expect(await agh.cleanup()).toEqual([])
})
const call = <T>(path: string, method: 'GET' | 'POST' | 'PATCH' = 'GET', body?: object) =>
  callDaemon<T>(agh.context.paths.socket, path, { method, ...(body ? { body } : {}) })

async function stream(path: string, init: RequestInit = {}) {
  const response = await fetch(`http://127.0.0.1:${listeners.port}${path}`, init)
  return { response, lines: (await response.text()).split('\n\n').filter(Boolean) }
}
const post = (body: object, headers: object = {}) => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
})
const types = (lines: string[]) =>
  lines.map((line) => (line === 'data: [DONE]' ? 'DONE' : JSON.parse(line.slice(6)).type))

describe('N6 a daemon that still repairs sessions', () => {
  it('says so, answers for those that are ready, and lets the other requests wait', async () => {
    agh = createAghHome({ config: { http: { port: 0 } } })
    const { id } = await agh.create()
    const repaired = Promise.withResolvers<void>()
    const requests: Array<string | undefined> = []
    const ready = (name?: string) => {
      requests.push(name)
      return name === id ? Promise.resolve() : repaired.promise
    }
    const status = async () => ({ ...(await SAMPLE_PARTS.status()), status: 'starting' as const, repairs_left: 1 })
    listeners = await openListeners(agh.context, { status, repairs: Promise.resolve({ left: () => 1, ready }) })
    expect(await call('/api/daemon/status')).toMatchObject({ status: 'starting', repairs_left: 1 })
    expect(await call(`/api/sessions/${id}`)).toMatchObject({ session: { id } })
    const answered: string[] = []
    const { token } = agh.context.live.get(id)!
    const ask = (path: string, headers: Record<string, string> = {}) =>
      callDaemon(agh.context.paths.socket, path, { headers }).then(() => answered.push(path))
    const waiting = [
      ask('/api/sessions'),
      ask('/api/sessions?stopped=false'),
      ask('/api/driver/sessions?key=x'),
      // Who asks is known by the sessions, so all of them are needed.
      ask(`/api/sessions/${id}`, { 'x-agh-session-token': token }),
    ]
    await waitFor('the requests', () => requests.length >= 6)
    expect(requests.slice(2)).toEqual([undefined, undefined, undefined, undefined])
    expect(answered).toEqual([])
    repaired.resolve()
    await Promise.all(waiting)
    expect(answered).toHaveLength(4)
  })
})

describe('the description of the API', () => {
  // biome-ignore lint/suspicious/noExplicitAny: a document of JSON
  const resolve = (document: any, ref: string) =>
    ref
      .slice(2)
      .split('/')
      .reduce((at, key) => at?.[key], document)

  it('is OpenAPI 3.1 with every route of the router, and every reference leads somewhere', async () => {
    await open()
    // biome-ignore lint/suspicious/noExplicitAny: a document of JSON
    const document = await call<any>('/api/openapi.json')
    expect(document).toEqual(JSON.parse(JSON.stringify(await describeAghApi())))
    expect(document.openapi).toMatch(/^3\.1\.\d+$/)
    expect(document.info).toMatchObject({ title: 'agh', version: expect.any(String) })
    const ids: string[] = []
    for (const { method, path } of describedRoutes()) {
      const operation = document.paths[path.replace(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()]
      expect(operation, `${method} ${path}`).toMatchObject({ summary: expect.any(String) })
      const named = (operation.parameters ?? []).filter((one: { in: string }) => one.in === 'path')
      expect(named.map((one: { name: string }) => one.name)).toEqual(
        [...path.matchAll(/:(\w+)/g)].map(([, name]) => name),
      )
      const [status, good] = Object.entries<{ content?: object }>(operation.responses)[0]!
      expect(Number(status)).toBeLessThan(300)
      expect(Object.keys(good.content ?? {}), `${method} ${path}`).toHaveLength(1)
      ids.push(operation.operationId)
    }
    expect(new Set(ids).size).toBe(ids.length)
    const refs = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(([, ref]) => ref!)
    expect(refs).toContain('#/components/schemas/Session')
    for (const ref of new Set(refs)) expect(resolve(document, ref), ref).toBeTypeOf('object')
  })

  it('says what a session is as sessions are', async () => {
    await open()
    const { id } = await agh.create()
    // biome-ignore lint/suspicious/noExplicitAny: a document of JSON
    const document: any = await describeAghApi()
    const { session } = await call<{ session: SessionView }>(`/api/sessions/${id}`)
    const { required, properties } = document.components.schemas.Session
    expect(Object.keys(session)).toEqual(expect.arrayContaining(required))
    expect(Object.keys(properties)).toEqual(expect.arrayContaining(Object.keys(session)))
  })
})

describe('a turn as a UI message stream', () => {
  const PARTS = ['start', 'text-start', 'text-delta', 'text-end', 'finish', 'DONE']

  it.each([
    ['by its format', '?format=ui', {}],
    ['by the Accept header', '', { accept: 'application/vnd.ai-ui-message-stream, text/event-stream' }],
  ])('is sent when asked for %s', async (_name, query, headers) => {
    await open()
    const { id } = await agh.create()
    const path = `/api/sessions/${id}/prompt${query}`
    const { response, lines } = await stream(path, post({ message: 'say hello' }, headers))
    expect(response.headers.get('x-vercel-ai-ui-message-stream')).toBe('v1')
    expect(types(lines)).toEqual(PARTS)
  })

  it('takes what useChat sends, of which the last message of the user is the prompt', async () => {
    await open()
    const { id } = await agh.create()
    const messages = [
      { id: 'a', role: 'user', parts: [{ type: 'text', text: 'say no' }] },
      { id: 'b', role: 'assistant', parts: [{ type: 'text', text: 'no' }] },
      { id: 'c', role: 'user', parts: [{ type: 'text', text: 'say yes' }] },
    ]
    const body = { id: 'chat', trigger: 'submit-message', messages }
    const { lines } = await stream(`/api/sessions/${id}/prompt?format=ui`, post(body))
    expect(lines.join('\n')).toContain('"delta":"yes"')
    expect(ofType(await agh.events(id), 'user_message')[0]?.content.text).toBe('say yes')
    const empty = await stream(`/api/sessions/${id}/prompt`, post({ messages: [] }))
    expect(empty.response.status).toBe(400)
  })

  it('works for the whole session too, and names no other format', async () => {
    await open()
    const { id } = await agh.create()
    await agh.prompt(id, 'say hello')
    await call(`/api/sessions/${id}/stop`, 'POST', {})
    const { lines } = await stream(`/api/sessions/${id}/stream?format=ui`)
    const shown = types(lines)
    expect(shown.slice(shown.indexOf('start'))).toEqual([...PARTS.slice(0, -1), 'data-agh-event', 'DONE'])
    expect((await stream(`/api/sessions/${id}/stream?format=xml`)).response.status).toBe(400)
  })
})

describe('what is kept beside the events', () => {
  it('S4.107 shows the tokens of each turn and the runs of hooks', async () => {
    await open({ config: { hooks: [{ event: 'session.started', command: 'echo hello' }] } })
    const { id } = await agh.create()
    await agh.prompt(id, 'say one')
    await call(`/api/sessions/${id}/stop`, 'POST', {})
    const { usage } = await call<{ usage: TurnUsage[] }>(`/api/sessions/${id}/usage`)
    expect(usage).toMatchObject([{ usage: { inputTokens: 10, outputTokens: 5 } }])
    const { hook_runs } = await call<{ hook_runs: HookRunView[] }>(`/api/sessions/${id}/hook-runs`)
    expect(hook_runs).toMatchObject([{ event: 'session.started', outcome: 'ok', required: false, detail: 'hello' }])
  })
})

describe('permissions', () => {
  it('S4.12 S4.110 are answered over HTTP, and only while the session is active', async () => {
    await open()
    const { id } = await agh.create()
    const turn = stream(`/api/sessions/${id}/prompt`, post({ message: 'ask execute' }))
    await waitFor('the question', async () => (await agh.context.live.get(id)!.permissions.pending.size) > 0)
    const { session } = await call<{ session: SessionView }>(`/api/sessions/${id}`)
    expect(session.pending_permissions).toMatchObject([{ request_id: 'perm-1', kind: 'execute' }])
    expect(await call(`/api/sessions/${id}/approve`, 'POST', { request_id: 'perm-1', decision: 'allow-once' })).toEqual(
      {
        request_id: 'perm-1',
        decision: 'allow-once',
      },
    )
    expect((await turn).lines.join()).toContain('optionId')
    const decided = ofType(await agh.events(id), 'permission')
    expect(decided.map(({ content }) => content.decision)).toEqual([null, 'allow-once'])
    await call(`/api/sessions/${id}/stop`, 'POST', {})
    await expect(call(`/api/sessions/${id}/approve`, 'POST', { decision: 'allow-once' })).rejects.toMatchObject({
      code: 'SESSION_NOT_ACTIVE',
    })
  })
})

describe('agents', () => {
  it('are listed with what is wrong with them', async () => {
    await open({
      files: {
        'agents/broken/AGENT.md': 'no front matter',
        'agents/absent/AGENT.md': '---\ncommand: no-such-agent --acp\n---\n',
      },
    })
    const { agents } = await call<{ agents: AgentView[] }>('/api/agents')
    expect(agents.map(({ name, problem }) => [name, problem])).toEqual([
      ['absent', 'no-such-agent is not on the PATH'],
      ['broken', expect.stringContaining('front matter')],
      ['general', null],
    ])
    const { agent } = await call<{ agent: AgentView }>('/api/agents/general')
    expect(agent).toMatchObject({ source: 'file', problem: null })
    await expect(call('/api/agents/nobody')).rejects.toMatchObject({ code: 'AGENT_NOT_FOUND' })
  })
})

describe('requests at the edge', () => {
  it('HEAD is answered as GET is, without a body, and does not wait for the end of a stream', async () => {
    await open()
    const { id } = await agh.create()
    for (const path of ['/api/sessions', `/api/sessions/${id}`, `/api/sessions/${id}/stream`]) {
      const { response, lines } = await stream(path, { method: 'HEAD' })
      expect([path, response.status, lines]).toEqual([path, 200, []])
    }
    expect((await stream('/api/sessions/sess-0', { method: 'HEAD' })).response.status).toBe(404)
  })

  it('a body that is too large is 413', async () => {
    await open()
    const { id } = await agh.create()
    const { response, lines } = await stream(`/api/sessions/${id}/stop`, post({ detail: 'x'.repeat(9 * 2 ** 20) }))
    expect([response.status, JSON.parse(lines[0]!).error.code]).toEqual([413, 'BODY_TOO_LARGE'])
  })

  it.each(['..', '.', '%2e%2e', '..%2f..'])(
    'a session called %s is not found, and nothing else is asked for',
    async (id) => {
      await open()
      const path = `/api/sessions/${id}`
      await expect(call(path)).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' })
      await expect(callDaemon(agh.context.paths.socket, '/api/agents/..')).rejects.toMatchObject({
        code: 'AGENT_NOT_FOUND',
      })
    },
  )

  it('names with line breaks or control characters are refused', async () => {
    await open()
    const names = ['two\nlines', 'bell\u0007', 'c1\u009b', 'separator\u2028']
    for (const name of names) {
      const path = agh.workspace
      await expect(call('/api/workspaces', 'POST', { path, name })).rejects.toMatchObject({ code: 'USAGE' })
      const session = { workspace_path: path, name }
      await expect(call('/api/sessions', 'POST', session)).rejects.toMatchObject({ code: 'USAGE' })
    }
    const odd = join(agh.workspace, 'two\nlines')
    mkdirSync(odd)
    await expect(call('/api/workspaces', 'POST', { path: odd })).rejects.toMatchObject({ code: 'USAGE' })
  })

  it('unknown keys are refused by every route that takes a body', async () => {
    await open()
    const { id } = await agh.create()
    const bodies: Record<string, object> = {
      '/api/sessions': { workspace_path: agh.workspace },
      [`/api/sessions/${id}/prompt`]: { message: 'say one' },
      [`/api/sessions/${id}/prompt/retry`]: {},
      [`/api/sessions/${id}/approve`]: { decision: 'allow-once' },
      [`/api/sessions/${id}/stop`]: {},
      [`/api/sessions/${id}/resume`]: {},
      [`/api/sessions/${id}/fork`]: {},
      [`/api/sessions/${id}/conversation/delete`]: {},
      '/api/agent/spawn': { ttl_seconds: 5 },
      '/api/tasks': { title: 'one' },
      '/api/workspaces': { path: agh.workspace },
    }
    const existing = describedRoutes().filter(({ body, method }) => body && method === 'POST')
    expect(Object.keys(bodies)).toHaveLength(existing.length)
    for (const [path, body] of Object.entries(bodies)) {
      await expect(call(path, 'POST', { ...body, mesage: 'x' }), path).rejects.toMatchObject({ code: 'USAGE' })
    }
  })

  it('an environment is taken over the socket only', async () => {
    await open()
    const body = { workspace_path: agh.workspace, environment: { FOO_API_KEY: 'x' } }
    expect((await stream('/api/sessions', post(body))).response.status).toBe(400)
    expect(await call('/api/sessions', 'POST', body)).toMatchObject({ session: { state: 'active' } })
  })

  it('the history belongs to its owner alone', async () => {
    await open()
    const { id } = await agh.create()
    const directory = join(agh.context.paths.sessions, id)
    for (const name of readdirSync(directory)) {
      const { mode } = statSync(join(directory, name))
      expect([name, (mode & 0o077).toString(8)]).toEqual([name, '0'])
    }
  })

  it('failures are reported without what people stopped', async () => {
    await open()
    const { id } = await agh.create()
    void stream(`/api/sessions/${id}/prompt`, post({ message: 'hang' }))
    await waitFor('the turn', async () => agh.context.live.get(id)?.running !== null)
    await call(`/api/sessions/${id}/stop`, 'POST', {})
    expect((await call<{ session: SessionView }>(`/api/sessions/${id}`)).session.failure?.kind).toBe('cancellation')
    const health = await call<{ failures: unknown[]; status: string }>('/api/observe/health')
    expect([health.status, health.failures]).toEqual(['ok', []])
  })
})
