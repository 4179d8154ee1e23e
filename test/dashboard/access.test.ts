// Who gets in: the list of routes comes from the router itself, so that none is forgotten.
import { mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { extname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isPagePath, PAGE_PATHS } from '../../src/contract/dashboard/page-paths.ts'
import { DASHBOARD_ROUTES } from '../../src/dashboard/server/routes.ts'
import { serveDashboard } from '../../src/dashboard/server/serve-dashboard.ts'
import type { LoopState } from '../../src/lifecycle/loop/create-loop.ts'
import { runFiles } from '../../src/lifecycle/loop/run-state.ts'
import { createSessionManager } from '../../src/manager/session-manager.ts'
import { createTempHome, type TempHome } from '../support/temp-home.ts'
import { type RawAnswer, rawRequest } from './raw-request.ts'
import { type ServedProject, serveProject } from './served-project.ts'

let world: ServedProject
let pages: TempHome
let token: string
let loopState: LoopState = 'ready'

beforeAll(async () => {
  pages = createTempHome()
  mkdirSync(join(pages.home, 'web', 'assets'), { recursive: true })
  writeFileSync(join(pages.home, 'web', 'index.html'), '<!doctype html><title>ao</title>')
  writeFileSync(join(pages.home, 'web', 'assets', 'page-1a2b3c.js'), 'export {}')
  writeFileSync(join(pages.home, 'secret.txt'), 'not for you')
  world = await serveProject({
    yaml: ['agent: demo', 'scm: local'],
    pageDirectory: join(pages.home, 'web'),
    loopState: () => loopState,
  })
  token = readFileSync(runFiles(world.context.paths).token, 'utf8').trim()
})
afterAll(async () => {
  expect(await world.close()).toEqual([])
  expect(await pages.cleanup()).toEqual([])
})

const origin = () => `http://127.0.0.1:${world.server.port}`
const bearer = () => ({ authorization: `Bearer ${token}` })
const json = { 'content-type': 'application/json' }

function ask(path: string, options: { method?: string; headers?: Record<string, string>; body?: string } = {}) {
  return rawRequest({ port: world.server.port, path, ...options })
}

function codeOf({ text }: RawAnswer): string | undefined {
  return (JSON.parse(text) as { error?: { code: string } }).error?.code
}

async function signIn(): Promise<string> {
  const link = new URL(world.server.link())
  const { headers } = await ask(`${link.pathname}${link.search}`)
  return String(headers['set-cookie']).split(';')[0]!
}

const ROUTES = DASHBOARD_ROUTES.map(({ method, path }) => ({ method, path: path.replace(/:[A-Za-z]+/g, 'nothing-1') }))
const CHANGES = ROUTES.filter(({ method }) => method !== 'GET')

describe('every route of the table', () => {
  it('is there to be tested', () => {
    expect(ROUTES.length).toBeGreaterThan(15)
    expect(CHANGES.length).toBeGreaterThan(8)
  })

  it.each(ROUTES)('$method $path does not answer without credentials', async ({ method, path }) => {
    const tries: Array<Record<string, string>> = [
      {},
      { authorization: 'Bearer ' },
      { authorization: `Bearer ${token}x` },
      { authorization: `Basic ${token}` },
      { cookie: `ao-${world.context.paths.hash}=${token}` },
      { cookie: `ao-${world.context.paths.hash}=../../${'x'.repeat(40)}` },
    ]
    for (const headers of tries) {
      const answer = await ask(path, { method, headers: { ...json, ...headers }, body: method === 'GET' ? '' : '{}' })
      expect({ headers, status: answer.status, code: codeOf(answer) }).toEqual({
        headers,
        status: 401,
        code: 'SIGN_IN_NEEDED',
      })
    }
  })

  it.each(ROUTES)('$method $path answers no other host', async ({ method, path }) => {
    for (const host of ['evil.example', 'localhost', '127.0.0.1:1', `evil.example:${world.server.port}`, '0.0.0.0']) {
      const answer = await ask(path, { method, headers: { ...bearer(), ...json, host }, body: '' })
      expect([host, answer.status, codeOf(answer)]).toEqual([host, 403, 'ACCESS_REFUSED'])
    }
  })

  it.each(ROUTES)('$method $path answers no other page', async ({ method, path }) => {
    const cookie = await signIn()
    const pages = [
      { origin: 'http://evil.example' },
      { origin: 'null' },
      { origin: `http://localhost:${world.server.port}` },
      { origin: `${origin()}.evil.example` },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
    ]
    for (const page of pages) {
      for (const who of [bearer(), { cookie }] as Array<Record<string, string>>) {
        const answer = await ask(path, { method, headers: { ...who, ...json, ...page } as never, body: '' })
        expect([page, answer.status, codeOf(answer)]).toEqual([page, 403, 'ACCESS_REFUSED'])
      }
    }
  })

  it.each(CHANGES)('$method $path accepts nothing that a form can send', async ({ method, path }) => {
    for (const type of [
      'application/x-www-form-urlencoded',
      'multipart/form-data',
      'text/plain',
      'application/jsonx',
    ]) {
      const headers = { ...bearer(), 'content-type': type }
      const answer = await ask(path, { method, headers, body: '{}' })
      expect([type, answer.status, codeOf(answer)]).toEqual([type, 400, 'USAGE'])
    }
    expect((await ask(path, { method, headers: bearer() })).status).toBe(400)
  })

  it.each(CHANGES)('$method $path wants to know from which page a browser sends it', async ({ method, path }) => {
    const answer = await ask(path, { method, headers: { ...json, cookie: await signIn() }, body: '{}' })
    expect([answer.status, codeOf(answer)]).toEqual([403, 'ACCESS_REFUSED'])
  })
})

it.each([
  '/api/nothing',
  '/api/',
  '/api//sessions',
  '/api/../api/sessions',
  '/api/webhooks/../sessions',
  '//evil/api/sessions',
  'http://evil.example/api/sessions',
])('says nothing behind %s without credentials', async (path) => {
  expect((await ask(path)).status).toBe(401)
})

it.each([
  ['its own first', () => [`127.0.0.1:${world.server.port}`, 'evil.example']],
  ['its own last', () => ['evil.example', `127.0.0.1:${world.server.port}`]],
])('answers nobody who names two hosts, %s', async (_order, hosts) => {
  const socket = connect(world.server.port, '127.0.0.1')
  const lines = hosts().map((host) => `Host: ${host}`)
  socket.write(`GET /api/sessions HTTP/1.1\r\n${lines.join('\r\n')}\r\nAuthorization: Bearer ${token}\r\n\r\n`)
  const answer = await new Promise<string>((resolve) => socket.once('data', (data) => resolve(String(data))))
  socket.destroy()
  expect(answer).toMatch(/^HTTP\/1.1 40[03] /)
})

it('answers with credentials', async () => {
  const cookie = await signIn()
  expect((await ask('/api/sessions', { headers: bearer() })).status).toBe(200)
  expect((await ask('/api/sessions', { headers: { cookie } })).status).toBe(200)
  expect((await ask('/api/stream', { headers: { cookie } })).status).toBe(200)
  const sent = { cookie, origin: origin(), 'sec-fetch-site': 'same-origin', ...json }
  expect((await ask('/api/sessions', { method: 'POST', headers: sent, body: '{}' })).status).toBe(400)
  expect((await ask('/api/nothing', { headers: bearer() })).status).toBe(404)
  // In a response that is not a page, no part of a name becomes markup: it is JSON, and declared as such.
  const strange = await ask('/api/sessions/%3Cscript%3E', { headers: bearer() })
  expect([strange.status, strange.headers['content-type']]).toEqual([404, 'application/json'])
})

describe('the one-time link', () => {
  it('works once and sets a cookie that scripts and other sites do not get', async () => {
    const link = new URL(world.server.link('/sessions/app-1'))
    const first = await ask(`${link.pathname}${link.search}`)
    expect([first.status, first.headers.location]).toEqual([303, '/sessions/app-1'])
    const cookie = String(first.headers['set-cookie'])
    for (const word of ['HttpOnly', 'SameSite=Strict', 'Path=/', 'Max-Age=']) expect(cookie).toContain(word)
    const second = await ask(`${link.pathname}${link.search}`)
    expect([second.status, second.headers['set-cookie']]).toEqual([303, undefined])
  })

  it('is not used up by a browser that only guesses', async () => {
    const link = new URL(world.server.link())
    const path = `${link.pathname}${link.search}`
    const ahead = await ask(path, { headers: { 'sec-purpose': 'prefetch' } })
    expect(ahead.headers['set-cookie']).toBeUndefined()
    expect((await ask(path)).headers['set-cookie']).toBeDefined()
  })

  it.each(['//evil.example', '/\\evil.example', 'https://evil.example', 'javascript:alert(1)', '/ok\r\nx: y'])(
    'leads to no other place: %s',
    async (to) => {
      const { headers } = await ask(`/sign-in?code=x&to=${encodeURIComponent(to)}`)
      expect(headers.location).toBe('/')
    },
  )

  it('is refused under another name of the server', async () => {
    const link = new URL(world.server.link())
    const path = `${link.pathname}${link.search}`
    expect((await ask(path, { headers: { host: 'evil.example' } })).status).toBe(403)
    expect((await ask(path)).headers['set-cookie']).toBeDefined()
  })

  it('signs out this browser and no other', async () => {
    const [one, other] = [await signIn(), await signIn()]
    const headers = { ...json, cookie: one, origin: origin() }
    expect((await ask('/api/sign-out', { method: 'POST', headers, body: '{}' })).status).toBe(200)
    expect((await ask('/api/access', { headers: { cookie: one } })).status).toBe(401)
    expect((await ask('/api/access', { headers: { cookie: other } })).status).toBe(200)
  })

  it('keeps a bounded number of browsers, the newest', async () => {
    const first = await signIn()
    for (let count = 0; count < 50; count++) await signIn()
    expect((await ask('/api/access', { headers: { cookie: first } })).status).toBe(401)
    expect(readdirSync(runFiles(world.context.paths).browsers)).toHaveLength(50)
  })
})

it('keeps browsers signed in over a restart, and secrets out of reach', async () => {
  const files = runFiles(world.context.paths)
  const cookie = await signIn()
  const { config, registry, log, env, paths } = world.context
  const manager = createSessionManager({ config, registry, log, env, home: paths.home })
  const again = await serveDashboard({ context: world.context, manager, loop: null }, { files })
  try {
    const answer = await rawRequest({ port: again.port, path: '/api/access', headers: { cookie } })
    expect(answer.status).toBe(200)
    expect((await rawRequest({ port: again.port, path: '/api/access', headers: bearer() })).status).toBe(200)
  } finally {
    await again.close()
  }
  expect(statSync(files.token).mode & 0o777).toBe(0o600)
  expect(statSync(files.browsers).mode & 0o777).toBe(0o700)
  const kept = readdirSync(files.browsers).map((name) => name + readFileSync(join(files.browsers, name), 'utf8'))
  expect(kept.join()).not.toContain(cookie.split('=')[1])
})

describe('headers', () => {
  const KINDS: Array<[what: string, path: string, headers: () => Record<string, string>]> = [
    ['the page', '/', () => ({})],
    ['a page of its own', '/sessions/app-1', () => ({})],
    ['a file', '/assets/page-1a2b3c.js', () => ({})],
    ['a missing file', '/assets/none.js', () => ({})],
    ['an answer', '/api/sessions', bearer],
    ['a refusal', '/api/sessions', () => ({})],
    ['another host', '/', () => ({ host: 'evil.example' })],
    ['the link', '/sign-in?code=x', () => ({})],
    ['the stream', '/api/stream', bearer],
    ['a webhook', '/api/webhooks/github', () => ({})],
  ]

  it.each(KINDS)('of %s let nothing in from elsewhere', async (_what, path, headers) => {
    const answer = await ask(path, { headers: headers() })
    const policy = String(answer.headers['content-security-policy'])
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("script-src 'self';")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).toContain("require-trusted-types-for 'script'")
    expect(policy).not.toMatch(/script-src[^;]*unsafe|\*|https?:/)
    expect(answer.headers['x-content-type-options']).toBe('nosniff')
    expect(answer.headers['referrer-policy']).toBe('no-referrer')
    expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control'))).toEqual([])
  })

  it('keep what the build has hashed, and no answer', async () => {
    const cache = async (path: string, headers = {}) => (await ask(path, { headers })).headers['cache-control']
    expect(await cache('/assets/page-1a2b3c.js')).toContain('immutable')
    expect(await cache('/')).toBe('no-cache')
    expect(await cache('/api/sessions', bearer())).toBe('no-store')
    expect(await cache('/api/sessions')).toBe('no-store')
    expect(await cache('/api/stream', bearer())).toBe('no-store')
  })
})

describe('the page', () => {
  it.each(['/', '/sessions/app-1', '/projects/app/pull/3', '/pulls', '/settings'])('is at %s', async (path) => {
    const answer = await ask(path)
    expect([answer.status, answer.text]).toEqual([200, '<!doctype html><title>ao</title>'])
  })

  it('has every address that the page itself knows', () => {
    expect(PAGE_PATHS.map((path) => isPagePath(path.replace(/:[a-z]+/g, 'x-1')))).toEqual(PAGE_PATHS.map(() => true))
  })

  it.each(['/health', '/pulls/1', '/sessions', '/.env', '/admin'])('is not at %s', async (path) => {
    expect((await ask(path)).status).toBe(404)
    const shown = await ask(path, { headers: { accept: 'text/html' } })
    expect([shown.status, shown.text]).toEqual([
      404,
      extname(path) === '' ? '<!doctype html><title>ao</title>' : shown.text,
    ])
  })

  it('sends a file as the build compressed it, but not in a form that is older than the file', async () => {
    const file = join(pages.home, 'web', 'assets', 'page-1a2b3c.js')
    const form = async (accepted: string) => {
      const { headers, text } = await ask('/assets/page-1a2b3c.js', { headers: { 'accept-encoding': accepted } })
      return [headers['content-encoding'], headers['content-length'], headers.vary, text]
    }
    writeFileSync(`${file}.gz`, 'gzipped')
    writeFileSync(`${file}.br`, 'brotli!!')
    expect(await form('gzip, br')).toEqual(['br', '8', 'accept-encoding', 'brotli!!'])
    expect(await form('gzip, br;q=0')).toEqual(['gzip', '7', 'accept-encoding', 'gzipped'])
    expect((await form('identity'))[3]).toBe('export {}')
    utimesSync(`${file}.br`, 1, 1)
    utimesSync(`${file}.gz`, 1, 1)
    expect((await form('gzip, br'))[3]).toBe('export {}')
    expect((await ask('/assets/page-1a2b3c.js.br')).status).toBe(404)
  })

  it.each([
    '/../secret.txt',
    '/assets/../../secret.txt',
    '/%2e%2e/secret.txt',
    '/..%2fsecret.txt',
    '/assets/..%5c..%5csecret.txt',
    '/assets/%00',
    '//etc/passwd',
    '/assets/none.js',
  ])('is all there is: %s', async (path) => {
    const answer = await ask(path)
    expect(answer.text).not.toContain('not for you')
    expect([200, 400, 404]).toContain(answer.status)
    if (answer.status === 200) expect(answer.text).toContain('<title>ao</title>')
  })
})

describe('probes', () => {
  const probe = async (path: string) => {
    const answer = await ask(path, { headers: { host: '10.0.0.7:3000' } })
    return [answer.status, JSON.parse(answer.text).status]
  }

  it('are answered without credentials and under any host name', async () => {
    expect(await probe('/healthz')).toEqual([200, 'ok'])
    expect(await probe('/readyz')).toEqual([200, 'ready'])
    expect((await ask('/healthz', { method: 'POST' })).status).toBe(405)
  })

  it.each(['starting', 'stalled'] as const)('report a loop that is %s as not ready', async (state) => {
    loopState = state
    try {
      expect(await probe('/readyz')).toEqual([503, state])
      expect(await probe('/healthz')).toEqual([200, 'ok'])
    } finally {
      loopState = 'ready'
    }
  })
})

describe('a WebSocket for terminals', () => {
  const upgrade = (headers: Record<string, string>, path = '/api/terminals') =>
    ask(path, {
      headers: {
        connection: 'Upgrade',
        upgrade: 'websocket',
        'sec-websocket-version': '13',
        'sec-websocket-key': Buffer.from('0123456789abcdef').toString('base64'),
        ...headers,
      },
    })

  it('opens for a signed-in browser on our own page', async () => {
    expect((await upgrade({ cookie: await signIn(), origin: origin() })).status).toBe(101)
    expect((await upgrade(bearer())).status).toBe(101)
  })

  it('opens for nobody else', async () => {
    const cookie = await signIn()
    expect((await upgrade({ origin: origin() })).status).toBe(401)
    expect((await upgrade({ cookie })).status).toBe(403)
    expect((await upgrade({ cookie, origin: 'http://evil.example' })).status).toBe(403)
    expect((await upgrade({ cookie, origin: origin(), host: 'evil.example' })).status).toBe(403)
    expect((await upgrade({ ...bearer(), origin: 'http://evil.example' })).status).toBe(403)
    expect((await upgrade({ cookie, origin: origin() }, '/api/sessions')).status).toBe(404)
    // The stream of a page, too.
    expect((await upgrade({ cookie, origin: origin() }, '/api/stream')).status).toBe(101)
    expect((await upgrade({ origin: origin() }, '/api/stream')).status).toBe(401)
    expect((await upgrade({ cookie, origin: 'http://evil.example' }, '/api/stream')).status).toBe(403)
  })
})
