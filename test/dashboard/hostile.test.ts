// People who want in, or want more than they may: other users of this machine, other pages of this browser, agents and
// issues with bad intent, and browsers that are signed out.
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { DASHBOARD_ROUTES } from '../../src/dashboard/server/routes.ts'
import { cutDiff } from '../../src/git/diff/cut-diff.ts'
import { runFiles } from '../../src/lifecycle/loop/run-state.ts'
import { waitFor } from '../support/wait-for.ts'
import { readEvents } from './event-source.ts'
import { rawRequest } from './raw-request.ts'
import { type ServedProject, serveProject } from './served-project.ts'

const SECRET = 'hush-4f1c9a77'

let world: ServedProject

beforeAll(async () => {
  world = await serveProject({
    yaml: ['agent: demo', 'scm: local', 'tracker: local', 'sessionPrefix: app'],
    top: [
      'notifiers:',
      `  hook: { plugin: webhook, url: "http://127.0.0.1:1/${SECRET}?key=${SECRET}", secret: ${SECRET} }`,
      'webhooks:',
      '  github: { secret: "${HOOK_SECRET}" }',
    ],
    env: { HOOK_SECRET: SECRET, GITHUB_TOKEN: SECRET },
  })
  await world.session('app-1', { branch: 'feat/one', agent: 'demo' })
})
afterAll(async () => {
  expect(await world.close()).toEqual([])
})

const json = { 'content-type': 'application/json' }
const origin = () => `http://127.0.0.1:${world.server.port}`
const ask = (path: string, options: { method?: string; headers?: Record<string, string>; body?: string } = {}) =>
  rawRequest({ port: world.server.port, path, ...options })

async function signIn(): Promise<string> {
  const link = new URL(world.server.link())
  const { headers } = await ask(`${link.pathname}${link.search}`)
  return String(headers['set-cookie']).split(';')[0]!
}

function signOut(cookie: string) {
  return ask('/api/sign-out', { method: 'POST', headers: { ...json, cookie, origin: origin() }, body: '{}' })
}

function openSocket(headers: Record<string, string>): Promise<WebSocket> {
  const socket = new WebSocket(`ws://127.0.0.1:${world.server.port}/api/terminals`, { headers })
  return new Promise((resolve, reject) => {
    socket.once('open', () => resolve(socket))
    socket.once('error', reject)
  })
}

describe('a browser that is signed out', () => {
  it('loses its streams and terminals immediately, on all of its pages, and no other browser does', async () => {
    const [leaving, staying] = [await signIn(), await signIn()]
    const ended: string[] = []
    const open = async (cookie: string, name: string) => {
      await readEvents({ port: world.server.port, cookie, onEnd: () => ended.push(`stream ${name}`) })
      const socket = await openSocket({ cookie, origin: origin() })
      socket.once('close', () => ended.push(`socket ${name}`))
      return socket
    }
    await open(leaving, 'leaving')
    const stays = await open(staying, 'staying')
    expect((await signOut(leaving)).status).toBe(200)
    await waitFor('its lines to be cut', () => ended.length === 2, 2_000)
    expect(ended.sort()).toEqual(['socket leaving', 'stream leaving'])
    expect(stays.readyState).toBe(WebSocket.OPEN)
    stays.terminate()
    await signOut(staying)
  })
})

describe('a ticket for a terminal', () => {
  const ticketFor = async (id: string, mode: string) =>
    (await world.api<{ ticket: string }>('POST', `/api/sessions/${id}/ticket`, { mode })).body.ticket

  it('opens once, on any socket, and not a second time', async () => {
    const cookie = await signIn()
    const answers: string[] = []
    const ticket = await ticketFor('app-1', 'read')
    for (let turn = 0; turn < 2; turn++) {
      const socket = await openSocket({ cookie, origin: origin() })
      const answer = new Promise<string>((resolve) => socket.once('message', (data) => resolve(String(data))))
      socket.send(JSON.stringify({ type: 'open', terminalId: 1, ticket, cols: 80, rows: 24 }))
      answers.push((JSON.parse(await answer) as { code: string }).code)
      socket.terminate()
    }
    // It has no terminal to show; that it was asked for is what the ticket allowed.
    expect(answers).toEqual(['unavailable', 'bad-ticket'])
  })

  it('is not given for what does not exist', async () => {
    for (const id of ['app-9', '..%2F..%2Fapp-1', '__proto__', 'constructor']) {
      const { status } = await world.api('POST', `/api/sessions/${id}/ticket`, { mode: 'write' })
      expect([id, status]).toEqual([id, 404])
    }
  })
})

describe('names that are paths', () => {
  const OUTSIDE = '{"seq":1,"at":"2026-01-01T00:00:00.000Z","sessionId":"x","type":"session.reserved"}\n'

  it('lead nowhere from the stream', async () => {
    const { home } = world.temp
    writeFileSync(join(home, 'outside.jsonl'), OUTSIDE)
    const history = world.context.paths.project('app').history
    mkdirSync(history, { recursive: true })
    writeFileSync(join(history, '..', 'outside.jsonl'), OUTSIDE)
    for (const session of ['../outside', `${'../'.repeat(12)}${home.slice(1)}/outside`, '..', '.', 'a/b', 'a\0b']) {
      const path = `/api/stream?session=${encodeURIComponent(session)}`
      const reader = await readEvents({ port: world.server.port, token: world.token, path })
      await waitFor('the board', () => reader.frames.some(({ event }) => event === 'board'))
      reader.close()
      expect([session, reader.frames.filter(({ event }) => event === 'history')]).toEqual([session, []])
    }
  })

  const PLACES = [
    '/api/sessions/NAME',
    '/api/sessions/NAME/diff',
    '/api/projects/NAME/issues',
    '/api/projects/NAME/pulls/1',
    '/api/projects/app/pulls/NAME',
    '/api/projects/app/pulls/NAME/diff',
    '/api/projects/app/pulls/1/checks/NAME/log',
  ]
  const NAMES = ['..%2F..%2F..%2Fetc%2Fpasswd', '%2Fetc%2Fpasswd', '..', '%00', '__proto__', 'constructor', '-x', '%0A']

  it.each(PLACES)('lead nowhere from %s', async (place) => {
    for (const name of NAMES) {
      const { status, text } = await ask(place.replace('NAME', name), {
        headers: { authorization: `Bearer ${world.token}` },
      })
      expect([name, status]).toEqual([name, name === '..' ? expect.any(Number) : 404])
      expect(text).not.toContain('root:')
      if (name !== '..') expect(JSON.parse(text)).toMatchObject({ error: { message: expect.any(String) } })
    }
  })
})

describe('secrets', () => {
  it('of the configuration and the environment are in no answer', async () => {
    const paths = DASHBOARD_ROUTES.filter(({ method, stream }) => method === 'GET' && !stream).map(({ path }) =>
      path.replace(':id', 'app-1').replace(':project', 'app').replace(':number', '1').replace(':check', 'x'),
    )
    const answers = await Promise.all(
      paths.map((path) => ask(path, { headers: { authorization: `Bearer ${world.token}` } })),
    )
    expect(paths.length).toBeGreaterThan(10)
    for (const [index, { text }] of answers.entries()) {
      for (const secret of [SECRET, world.token]) {
        expect([paths[index], text.includes(secret)]).toEqual([paths[index], false])
      }
    }
  })

  it('of a notifier are not in the words about its failure', async () => {
    const { body } = await world.api<{ ok: boolean; message: string }>('POST', '/api/notifiers/hook/test')
    expect(body.ok).toBe(false)
    expect(body.message).not.toContain(SECRET)
    const { text } = await ask('/api/observability', { headers: { authorization: `Bearer ${world.token}` } })
    expect(text).not.toContain(SECRET)
  })

  it('on the disk are for their user only', async () => {
    await signIn()
    world.server.link()
    const files = runFiles(world.context.paths)
    for (const file of [files.token, files.deliveries]) expect([file, mode(file)]).toEqual([file, 0o600])
    for (const directory of [files.signIn, files.browsers]) {
      expect([directory, mode(directory)]).toEqual([directory, 0o700])
      for (const name of readdirSync(directory)) expect(mode(join(directory, name))).toBe(0o600)
    }
    const open = everyFile(join(world.temp.home, '.ao')).filter((file) => (mode(file) & 0o077) !== 0)
    expect(open).toEqual([])
  })
})

function mode(file: string): number {
  return statSync(file).mode & 0o777
}

/** Links to others' files are not ours to judge, and the wrappers are programs without secrets. */
function everyFile(directory: string): string[] {
  if (!existsSync(directory)) return []
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.endsWith('/bin'))
    .map((entry) => join(entry.parentPath, entry.name))
}

describe('a one-time link', () => {
  it('cannot be guessed, and trying costs the person nothing', async () => {
    const link = new URL(world.server.link())
    expect(link.searchParams.get('code')).toMatch(/^[A-Za-z0-9_-]{43}$/)
    const tries = ['', 'x', '../browsers', '%00', 'a'.repeat(10_000), link.searchParams.get('code')!.slice(0, -1)]
    for (const code of tries) {
      const answer = await ask(`/sign-in?code=${encodeURIComponent(code)}`)
      expect([answer.status, answer.headers['set-cookie']]).toEqual([303, undefined])
    }
    expect((await ask(`${link.pathname}${link.search}`)).headers['set-cookie']).toBeDefined()
  })

  it('gives a new key each time, whatever cookie is brought along', async () => {
    const chosen = `ao-${world.context.paths.hash}=${'A'.repeat(43)}`
    const link = new URL(world.server.link())
    const { headers } = await ask(`${link.pathname}${link.search}`, { headers: { cookie: chosen } })
    expect(String(headers['set-cookie'])).not.toContain('A'.repeat(43))
    expect((await ask('/api/access', { headers: { cookie: chosen } })).status).toBe(401)
  })

  it('is followed by no HEAD, no POST and no page of another site that shows it', async () => {
    const link = new URL(world.server.link())
    const path = `${link.pathname}${link.search}`
    for (const method of ['HEAD', 'POST', 'PUT']) {
      expect((await ask(path, { method })).headers['set-cookie']).toBeUndefined()
    }
    expect((await ask(path)).headers['set-cookie']).toBeDefined()
  })
})

describe('a malformed request', () => {
  it('with too large a body is refused in words, and the server continues', async () => {
    const body = JSON.stringify({ message: 'x'.repeat(32 * 1024 * 1024) })
    const headers = { ...json, authorization: `Bearer ${world.token}` }
    const answer = await ask('/api/sessions/app-1/send', { method: 'POST', headers, body })
    expect([answer.status, answer.text]).toEqual([413, expect.stringContaining('larger than')])
    expect((await world.api('GET', '/api/access')).status).toBe(200)
  })

  it.each(['null', '[]', '"x"', '{', '{"message":{"a":1}}', '{"message":"a","__proto__":{"x":1}}', '\u0000'])(
    'with the body %s is refused in words',
    async (body) => {
      const headers = { ...json, authorization: `Bearer ${world.token}` }
      const answer = await ask('/api/sessions/app-1/send', { method: 'POST', headers, body })
      expect([answer.status, JSON.parse(answer.text).error.code]).toEqual([400, 'USAGE'])
    },
  )

  it('that is refused as a WebSocket keeps no place, also when it does not hang up', async () => {
    // Half open: it keeps sending after the server has finished.
    const socket = connect({ port: world.server.port, host: '127.0.0.1', allowHalfOpen: true })
    socket.write('GET /api/terminals HTTP/1.1\r\nHost: evil\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n')
    let text = ''
    let isRefused = false
    socket.on('data', (chunk) => {
      text += String(chunk)
    })
    socket.on('error', () => {
      isRefused = true
    })
    await waitFor('the answer', () => text.includes('ACCESS_REFUSED'))
    await waitFor('the server to have let go', () => isRefused || !socket.write('more'), 5_000)
    socket.destroy()
    expect(text).toMatch(/^HTTP\/1\.1 403 /)
  })
})

it('no GET changes anything', async () => {
  const record = () => readFileSync(world.context.paths.project('app').sessionFile('app-1'), 'utf8')
  const before = record()
  const cookie = await signIn()
  for (const path of ['kill', 'restore', 'merge', 'send', 'permission']) {
    expect((await ask(`/api/sessions/app-1/${path}`, { headers: { cookie } })).status).toBe(404)
  }
  // A ticket for watching, whatever else is asked for.
  const { ticket } = JSON.parse((await ask('/api/sessions/app-1/ticket?mode=write', { headers: { cookie } })).text)
  expect(ticket).toEqual(expect.any(String))
  expect((await ask('/api/sign-out', { headers: { cookie } })).status).toBe(404)
  expect((await ask('/api/notifiers/hook/test', { headers: { cookie } })).status).toBe(404)
  expect((await ask('/api/access', { headers: { cookie } })).status).toBe(200)
  expect(record()).toBe(before)
})

describe('a diff that is too large', () => {
  const file = (name: string, lines: number) =>
    `diff --git a/${name} b/${name}\n--- a/${name}\n+++ b/${name}\n@@ -0,0 +1 @@\n${'+a line\n'.repeat(lines)}`

  it('is cut between files, and never begins in the middle of one', () => {
    const whole = file('a', 10) + file('b', 10)
    expect(cutDiff(whole)).toEqual({ diff: whole, truncated: false })
    expect(cutDiff('')).toEqual({ diff: '', truncated: false })
    // Of very much only the end is collected.
    expect(cutDiff(`+of a lost file\n${whole}`)).toEqual({ diff: whole, truncated: true })
    expect(cutDiff('+of a lost file\n+and more\n')).toEqual({ diff: '', truncated: true })
    const large = file('a', 10) + file('b', 1_000_000)
    expect(cutDiff(large)).toEqual({ diff: file('a', 10), truncated: true })
  })
})
