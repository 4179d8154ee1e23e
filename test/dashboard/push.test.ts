// Push messages: what reaches a real push service, whom they are sent to, and when that ends.
import { type ChildProcess, execFile, fork } from 'node:child_process'
import { createECDH, createPublicKey, randomBytes, verify } from 'node:crypto'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openDevices } from '../../src/dashboard/devices/device-store.ts'
import { runFiles } from '../../src/lifecycle/loop/run-state.ts'
import { createPushNotifiers, pushPayload } from '../../src/lifecycle/push/push-notifiers.ts'
import { openPushStore } from '../../src/lifecycle/push/push-store.ts'
import { createTempHome } from '../support/temp-home.ts'
import { testProgram } from '../support/test-program.ts'
import { waitFor } from '../support/wait-for.ts'
import { rawRequest } from './raw-request.ts'
import { type ServedProject, serveProject } from './served-project.ts'

const FIXTURES = join(import.meta.dirname, '../fixtures')
// What browsers decrypt with; it comes with web-push.
const ece = createRequire(createRequire(import.meta.url).resolve('web-push'))('http_ece')

const browser = createECDH('prime256v1')
browser.generateKeys()
const auth = randomBytes(16)
const keys = { p256dh: browser.getPublicKey('base64url'), auth: auth.toString('base64url') }

let world: ServedProject

beforeAll(async () => {
  world = await serveProject({ yaml: ['agent: demo', 'scm: local'] })
})
afterAll(async () => {
  expect(await world.close()).toEqual([])
})

const files = () => runFiles(world.context.paths)
const devices = () => openDevices(files().devices, world.context.clock)
const ask = async (token: string, method: string, path: string, body?: unknown) => {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const text = body === undefined ? {} : { body: JSON.stringify(body) }
  return rawRequest({ port: world.server.port, method, path, headers, ...text })
}
const endpoint = (name: string) => `https://push.example.com/${name}`

describe('a browser', () => {
  it('subscribes for itself, with the right to look, and is forgotten when its device is revoked', async () => {
    const { device, token } = devices().add({ name: 'phone', right: 'look' })
    const { publicKey } = JSON.parse((await ask(token, 'GET', '/api/push')).text)
    expect(JSON.parse((await ask(token, 'GET', '/api/push')).text)).toEqual({ publicKey })
    expect(statSync(files().pushKeys).mode & 0o777).toBe(0o600)
    const request = { endpoint: endpoint('a'), keys, sound: true }
    expect((await ask(token, 'POST', '/api/push', request)).status).toBe(200)
    expect((await ask(token, 'POST', '/api/push', { ...request, sound: false })).status).toBe(200)
    const push = createPushNotifiers({ files: files(), base: '', clock: world.context.clock })
    expect(push.targets({ type: 'x', message: 'y', priority: 'action' })).toHaveLength(1)
    expect(push.targets({ type: 'x', message: 'y', priority: 'info' })).toEqual([])
    for (const name of readdirSync(files().push)) expect(statSync(join(files().push, name)).mode & 0o777).toBe(0o600)
    // Another one cannot end it.
    const other = devices().add({ name: 'other', right: 'full' })
    await ask(other.token, 'POST', '/api/push/remove', { endpoint: endpoint('a') })
    expect(openPushStore(files(), world.context.clock).list().size).toBe(1)
    devices().revoke(other.device.id)
    devices().revoke(device.id)
    expect(push.targets({ type: 'x', message: 'y', priority: 'action' })).toEqual([])
    expect(readdirSync(files().push)).toEqual([])
  })

  it.each([
    { endpoint: 'https://127.0.0.1:9/x', keys, sound: true },
    { endpoint: 'http://push.example.com/x', keys, sound: true },
    { endpoint: 'https://printer.local/x', keys, sound: true },
    { endpoint: endpoint('b'), keys: { p256dh: 'short', auth: 'x' }, sound: true },
    { endpoint: endpoint('b'), keys, sound: true, owner: { kind: 'browser', key: '0'.repeat(64) } },
  ])('that asks for %j gets nothing', async (request) => {
    const { device, token } = devices().add({ name: 'phone', right: 'full' })
    expect((await ask(token, 'POST', '/api/push', request)).status).toBe(400)
    expect(existsSync(files().push) ? readdirSync(files().push) : []).toEqual([])
    devices().revoke(device.id)
  })

  it('is needed: a program with the token of the file has no sign-in that could end', async () => {
    expect((await world.api('POST', '/api/push', { endpoint: endpoint('c'), keys, sound: true })).status).toBe(400)
  })
})

describe('a message', () => {
  const temp = createTempHome()
  let service: ChildProcess
  let proxy: ChildProcess
  const result: { service: string[]; proxy: string[] } = { service: [], proxy: [] }

  beforeAll(async () => {
    const start = (name: string, heard: string[], ...args: string[]) => {
      const child = fork(join(FIXTURES, name), args, { stdio: ['ignore', 'pipe', 'inherit', 'ipc'], execArgv: [] })
      createInterface({ input: child.stdout! }).on('line', (line) => heard.push(line))
      return child
    }
    service = start('push-service.mjs', result.service, join(FIXTURES, 'tls'))
    proxy = start('proxy.mjs', result.proxy)
    await waitFor('the push service and the proxy', () => result.service.length > 0 && result.proxy.length > 0)
  })
  afterAll(async () => {
    service.disconnect()
    proxy.disconnect()
    expect(await temp.cleanup()).toEqual([])
  })

  const port = () => (JSON.parse(result.service[0]!) as { port: number }).port

  /** The proxy is what leads the public name of the certificate to this machine. */
  function send(url: string, through = true): Promise<Record<string, unknown>> {
    const args = [testProgram('push-once'), temp.home, url, keys.p256dh, keys.auth]
    const env = {
      PATH: process.env.PATH,
      HOME: temp.home,
      SSL_CERT_FILE: join(FIXTURES, 'tls/ca.pem'),
      ...(through && { HTTPS_PROXY: `http://127.0.0.1:${result.proxy[0]!.split(' ')[1]}` }),
    }
    return new Promise((resolve, reject) =>
      execFile(process.execPath, args, { env }, (error, stdout) =>
        error ? reject(error) : resolve(JSON.parse(stdout)),
      ),
    )
  }

  it('reaches the service encrypted for this browser alone, and signed with keys that stay', async () => {
    const origin = `https://forge.example:${port()}`
    const [one, two] = await Promise.all([send(`${origin}/push/201`), send(`${origin}/push/201`)])
    expect([one.sent, two.sent, one.publicKey === two.publicKey]).toEqual([true, true, true])
    const { headers, body } = JSON.parse(result.service[1]!) as { headers: Record<string, string>; body: string }
    expect(headers).toMatchObject({ 'content-encoding': 'aes128gcm', urgency: 'high', ttl: expect.any(String) })
    const [, token, key] = /^vapid t=([^,]+), k=(.+)$/.exec(headers.authorization!)!
    expect(key).toBe(one.publicKey)
    expect(isSigned(token!, key!)).toBe(true)
    expect(JSON.parse(Buffer.from(token!.split('.')[1]!, 'base64url').toString())).toMatchObject({ aud: origin })
    const encrypted = Buffer.from(body, 'base64')
    expect(encrypted.toString('latin1')).not.toContain('hello')
    const read = ece.decrypt(encrypted, { version: 'aes128gcm', privateKey: browser, authSecret: keys.auth }) as Buffer
    expect(JSON.parse(read.toString())).toEqual({ title: 'hello' })
  })

  it('that the service no longer has a browser for says so; a refusal that passes is tried again', async () => {
    const [gone, busy] = await Promise.all(
      [410, 503].map((status) => send(`https://forge.example:${port()}/push/${status}`)),
    )
    expect(gone).toMatchObject({ sent: false, status: 410 })
    expect(busy).toMatchObject({ sent: false, status: 503, permanent: false })
  })

  it('is never sent home, by address or by name', async () => {
    const before = result.service.length
    const urls = [`https://127.0.0.1:${port()}/push/201`, `https://localhost:${port()}/push/201`]
    for (const refused of await Promise.all(urls.map((url) => send(url, false))))
      expect(refused).toMatchObject({ sent: false, permanent: true })
    expect(result.service).toHaveLength(before)
  })
})

it('a notification has the way to its session and its answers as paths of the page, and says nothing too long', () => {
  const actions = [{ label: 'Allow once', url: '/answer/x' }]
  const onPage = { path: '/r/abcdef/sessions/app-1', actions }
  const about = {
    type: 'session.needs_input',
    message: 'x'.repeat(9_000),
    sessionId: 'app-1',
    priority: 'action',
  } as const
  const payload = pushPayload({ ...about, onPage }, { base: '/r/abcdef', sound: false })
  expect(payload.length).toBeLessThan(1_000)
  expect(JSON.parse(payload)).toMatchObject({
    title: 'app-1: session needs input',
    path: '/r/abcdef/sessions/app-1',
    answers: actions,
    stays: true,
    silent: true,
  })
  expect(JSON.parse(pushPayload(about, { base: '', sound: true }))).toMatchObject({
    path: '/sessions/app-1',
    answers: [],
  })
})

function isSigned(token: string, publicKey: string): boolean {
  const point = Buffer.from(publicKey, 'base64url')
  const coordinate = (from: number) => point.subarray(from, from + 32).toString('base64url')
  const key = createPublicKey({ key: { kty: 'EC', crv: 'P-256', x: coordinate(1), y: coordinate(33) }, format: 'jwk' })
  const [head, body, signature] = token.split('.') as [string, string, string]
  const text = Buffer.from(`${head}.${body}`)
  return verify('sha256', text, { key, dsaEncoding: 'ieee-p1363' }, Buffer.from(signature, 'base64url'))
}
