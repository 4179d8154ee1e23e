// Devices with a token of their own: how they are paired, what each may do, and how that ends.
import { spawnSync } from 'node:child_process'
import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { LISTED_ROUTES, neededRight } from '../../src/core/access/device-rights.ts'
import { openDevices } from '../../src/dashboard/devices/device-store.ts'
import { DASHBOARD_ROUTES } from '../../src/dashboard/server/routes.ts'
import { runFiles } from '../../src/lifecycle/loop/run-state.ts'
import { AO, buildAo } from '../support/run-ao.ts'
import { waitFor } from '../support/wait-for.ts'
import { readEvents } from './event-source.ts'
import { rawRequest } from './raw-request.ts'
import { type ServedProject, serveProject } from './served-project.ts'

let world: ServedProject
const json = { 'content-type': 'application/json' }

beforeAll(async () => {
  buildAo()
  world = await serveProject({ yaml: ['agent: demo', 'scm: local'] })
}, 60_000)
afterAll(async () => {
  expect(await world.close()).toEqual([])
})

const directory = () => runFiles(world.context.paths).devices
const store = () => openDevices(directory(), world.context.clock)
const ask = (path: string, options: { method?: string; headers?: Record<string, string>; body?: string } = {}) =>
  rawRequest({ port: world.server.port, path, ...options })
const as = (token: string) => ({ authorization: `Bearer ${token}` })
const codeOf = (text: string) => (JSON.parse(text) as { error?: { code: string } }).error?.code

async function pairingPath(name = 'phone', right = 'answer'): Promise<string> {
  const { body } = await world.api<{ link: string }>('POST', '/api/devices', { name, right })
  return new URL(body.link).pathname
}

describe('what a device may do', () => {
  it('is listed for routes that exist', () => {
    const listed = DASHBOARD_ROUTES.map(({ method, path }) => `${method} ${path}`)
    expect(LISTED_ROUTES.filter((route) => !listed.includes(route))).toEqual([])
  })

  it.each(['look', 'answer'] as const)('is checked for every route: %s', async (right) => {
    const { device, token } = store().add({ name: right, right })
    const own = right === 'look' ? ['look'] : ['look', 'answer']
    // Signing out would end it.
    for (const { method, path } of DASHBOARD_ROUTES.filter((row) => row.path !== '/api/sign-out')) {
      const url = path.replaceAll(/:[A-Za-z]+/g, 'nothing-1')
      const headers = { ...json, ...as(token) }
      const { status, text } = await ask(url, { method, headers, ...(method === 'GET' ? {} : { body: '{}' }) })
      const isRefused = status === 403 && codeOf(text) === 'DEVICE_LIMITED'
      expect([method, path, isRefused]).toEqual([method, path, !own.includes(neededRight({ method, path }))])
    }
    store().revoke(device.id)
  })

  it('is everything for a full one, and nothing for one whose file was tampered with', async () => {
    const { device, token } = store().add({ name: 'desk', right: 'full' })
    expect((await ask('/api/devices', { headers: as(token) })).status).toBe(200)
    const file = join(directory(), readdirSync(directory()).find((name) => fileSays(name, device.id))!)
    for (const text of ['', '{}', JSON.stringify({ ...device, right: 'root' }), '{"id":']) {
      chmodSync(file, 0o600)
      writeFileSync(file, text)
      expect([text, (await ask('/api/access', { headers: as(token) })).status]).toEqual([text, 401])
    }
    writeFileSync(file, JSON.stringify(device))
    expect(store().revoke(device.id)).toBe(true)
  })
})

const fileSays = (name: string, word: string) => readFileSync(join(directory(), name), 'utf8').includes(word)

describe('pairing', () => {
  it('needs the button, works once, and leaves nothing on the disk that opens anything', async () => {
    const path = await pairingPath('Sam <b>phone</b>', 'look')
    for (const method of ['GET', 'HEAD', 'GET']) {
      const shown = await ask(path, { method })
      expect([shown.status, shown.headers['set-cookie']]).toEqual([200, undefined])
      if (method === 'GET') expect(shown.text).toContain('Sam &lt;b&gt;phone&lt;/b&gt;')
    }
    const both = await Promise.all([ask(path, { method: 'POST' }), ask(path, { method: 'POST' })])
    expect(both.map(({ status }) => status).sort()).toEqual([303, 410])
    const paired = both.find(({ status }) => status === 303)!
    expect(paired.headers.location).toBe('../')
    const cookie = String(paired.headers['set-cookie'])
    for (const word of ['HttpOnly', 'SameSite=Strict', 'Path=/']) expect(cookie).toContain(word)
    const token = cookie.split(';')[0]!.split('=')[1]!
    const access = JSON.parse((await ask('/api/access', { headers: { cookie: cookie.split(';')[0]! } })).text)
    expect(access).toMatchObject({ as: 'device', right: 'look', device: { name: 'Sam <b>phone</b>' } })
    expect(statSync(directory()).mode & 0o777).toBe(0o700)
    for (const name of readdirSync(directory())) {
      expect(statSync(join(directory(), name)).mode & 0o777).toBe(0o600)
      expect(name + readFileSync(join(directory(), name), 'utf8')).not.toContain(token)
    }
    // A browser must name the page that sends a change, also with the cookie of a device.
    const headers = { ...json, cookie: cookie.split(';')[0]! }
    expect(codeOf((await ask('/api/sign-out', { method: 'POST', headers, body: '{}' })).text)).toBe('ACCESS_REFUSED')
    const origin = `http://127.0.0.1:${world.server.port}`
    const out = await ask('/api/sign-out', { method: 'POST', headers: { ...headers, origin }, body: '{}' })
    expect([out.status, store().list().length]).toEqual([200, 0])
  })

  it.each(['/pair/', '/pair/nothing', '/pair/..%2f..%2fx'])('with %s pairs nothing', async (path) => {
    expect((await ask(path, { method: 'POST' })).status).toBe(410)
    expect((await ask(path, { method: 'PUT' })).status).toBe(405)
    expect(store().list()).toEqual([])
  })

  it('stops at fifty devices instead of dropping one', async () => {
    for (let count = 0; count < 50; count++) store().add({ name: `device ${count}`, right: 'look' })
    expect((await ask(await pairingPath(), { method: 'POST' })).status).toBe(409)
    for (const { id } of store().list()) store().revoke(id)
  })
})

it('a revoked device is cut off at once, its open stream too', async () => {
  const { device, token } = store().add({ name: 'phone', right: 'answer' })
  let hasEnded = false
  const onEnd = () => {
    hasEnded = true
  }
  await readEvents({ port: world.server.port, token, onEnd })
  expect((await world.api('POST', `/api/devices/${device.id}/revoke`, {})).status).toBe(200)
  await waitFor('the end of its stream', () => hasEnded)
  expect((await ask('/api/sessions', { headers: as(token) })).status).toBe(401)
  expect((await world.api('POST', `/api/devices/${device.id}/revoke`, {})).body.error?.code).toBe('DEVICE_NOT_FOUND')
})

it('the commands pair, list and revoke', async () => {
  const ao = (...args: string[]) => {
    const env = { ...world.temp.env, USER: 'sam' }
    return spawnSync(process.execPath, [AO, 'device', ...args], { cwd: world.repo, env, encoding: 'utf8' })
  }
  expect(ao('ls').stdout).toContain('No devices')
  const { token, device } = JSON.parse(ao('add', 'wall', '--can', 'look', '--token', '--json').stdout)
  expect((await ask('/api/sessions', { headers: as(token) })).status).toBe(200)
  expect(ao('ls').stdout).toMatch(/wall +look/)
  expect(ao('add', 'phone').stderr).toContain('ao start')
  expect(ao('add', 'phone', '--can', 'everything').status).toBe(2)
  expect(JSON.parse(ao('revoke', 'wall', '--json').stdout)).toMatchObject({ device: { id: device.id } })
  expect((await ask('/api/sessions', { headers: as(token) })).status).toBe(401)
  expect(ao('revoke', 'wall').status).toBe(4)
})
