// `/metrics` and `Idempotency-Key` on the real server.
import { afterEach, describe, expect, it, vi } from 'vitest'
import { serveDashboard } from '../../src/dashboard/server/serve-dashboard.ts'
import { measure } from '../../src/lib/measures.ts'
import { runFiles } from '../../src/lifecycle/loop/run-state.ts'
import { storedSessions } from '../../src/manager/active.ts'
import { createSessionManager } from '../../src/manager/session-manager.ts'
import { type ServedProject, serveProject } from './served-project.ts'

let served: ServedProject
afterEach(async () => {
  expect(await served.close()).toEqual([])
})

function ask(
  path: string,
  init: { method?: string; body?: unknown; headers?: Record<string, string>; port?: number } = {},
) {
  const { body, port = served.server.port, headers, ...rest } = init
  return fetch(`http://127.0.0.1:${port}${path}`, {
    ...rest,
    headers: {
      authorization: `Bearer ${served.token}`,
      'content-type': 'application/json',
      connection: 'close',
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
}

describe('a scrape', () => {
  it('shows the sessions, and a second one reads only what changed', async () => {
    served = await serveProject({ yaml: ['agent: demo', 'tracker: local'] })
    for (const number of [1, 2, 3]) await served.session(`app-${number}`, { agent: 'codex' })
    const reads = vi.spyOn(served.context.store('app'), 'readAll')
    const first = await ask('/metrics')
    expect([first.status, first.headers.get('content-type')]).toEqual([
      200,
      expect.stringMatching(/^text\/plain; version=/),
    ])
    const text = await first.text()
    const repository = served.context.paths.hash
    expect(text.match(/^ao_sessions\{.*$/gm)?.join('\n')).toBe(
      `ao_sessions{repository="${repository}",project="app",agent="codex",status="working"} 3`,
    )
    expect(text).toContain('ao_loop_ready{repository="')
    expect(text).toMatch(/^process_resident_memory_bytes \d+$/m)
    expect(reads.mock.calls.length).toBeGreaterThan(0)
    reads.mockClear()
    expect(await (await ask('/metrics')).text()).toContain('status="working"} 3\n')
    expect(reads.mock.calls).toEqual([])
    // What a round of the loop left is counted without reading anything again.
    await served.session('app-4', { agent: 'codex' })
    const sessions = storedSessions(served.context, 'app')
    reads.mockClear()
    measure('sessions', { repository, project: 'app', sessions: () => sessions })
    expect(await (await ask('/metrics')).text()).toContain('status="working"} 4\n')
    expect(reads.mock.calls).toEqual([])
  })
})

describe('a POST with an Idempotency-Key', () => {
  const ALL = '/api/v1/projects/app/issues'
  const issue = { title: 'Once', description: '' }
  const titles = async () => {
    const { body } = await served.api<{ issues: Array<{ title: string }> }>('GET', '/api/projects/app/issues')
    return body.issues.map(({ title }) => title)
  }

  it('is done once when it is sent twice at once, and again after a restart of the server', async () => {
    served = await serveProject({ yaml: ['agent: demo', 'tracker: local'] })
    const post = (body: unknown, port?: number) =>
      ask(ALL, { method: 'POST', body, headers: { 'idempotency-key': 'key-1' }, ...(port ? { port } : {}) })
    const both = await Promise.all([post(issue), post(issue)])
    const [one, other] = await Promise.all(both.map((answer) => answer.text()))
    expect(one).toBe(other)
    expect(both.map(({ status }) => status)).toEqual([both[0]!.status, both[0]!.status])
    expect(both.map(({ headers }) => headers.get('idempotency-replayed')).sort()).toEqual([null, 'true'])
    const different = await post({ ...issue, title: 'Another' })
    expect([different.status, await different.json()]).toMatchObject([
      422,
      { error: { code: 'IDEMPOTENCY_KEY_REUSED' } },
    ])
    const { config, registry, log, env, paths } = served.context
    const manager = createSessionManager({ config, registry, log, env, home: paths.home })
    const again = await serveDashboard({ context: served.context, manager, loop: null }, { files: runFiles(paths) })
    try {
      expect(await (await post(issue, again.port)).text()).toBe(one)
    } finally {
      await again.close()
    }
    expect(await titles()).toEqual(['Once'])
  })

  it('is not held to a request that was refused before anything was tried, nor taken where an answer is of the moment', async () => {
    served = await serveProject({ yaml: ['agent: demo', 'tracker: local'] })
    const headers = { 'idempotency-key': 'key-2' }
    expect((await ask(ALL, { method: 'POST', body: { title: 7 }, headers })).status).toBe(400)
    expect((await ask(ALL, { method: 'POST', body: issue, headers })).status).toBe(201)
    for (const path of ['/api/sessions/app-1/ticket', '/api/mcp', '/api/sign-out']) {
      const refused = await ask(path, { method: 'POST', body: {}, headers })
      expect([path, refused.status, await refused.json()]).toMatchObject([path, 400, { error: { code: 'USAGE' } }])
    }
    const problem = await ask('/api/v1/sessions/app-9/kill', {
      ...{ method: 'POST', body: {}, headers: { 'idempotency-key': 'key-3', accept: 'application/problem+json' } },
    })
    expect([problem.status, await problem.json()]).toMatchObject([404, { title: 'SESSION_NOT_FOUND' }])
  })
})
