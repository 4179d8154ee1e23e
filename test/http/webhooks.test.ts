// Webhooks over real HTTP, signed as GitHub and GitLab sign them.
import { createHmac } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { loadConfig } from '../../src/config/load-config.ts'
import { type DashboardServer, serveDashboard } from '../../src/dashboard/server/serve-dashboard.ts'
import { silentLog } from '../../src/lib/log.ts'
import { runFiles } from '../../src/lifecycle/loop/run-state.ts'
import { createManagerContext } from '../../src/manager/context.ts'
import { createSessionManager } from '../../src/manager/session-manager.ts'
import { createPluginRegistry } from '../../src/plugins/registry.ts'
import { agreeToAll } from '../support/agree.ts'
import { createTempHome, type TempHome } from '../support/temp-home.ts'

const SECRET = 'a shared secret'
let temp: TempHome
let server: DashboardServer
let requests: string[]

beforeEach(async () => {
  temp = createTempHome()
  await open()
})
afterEach(async () => {
  await server.close()
  expect(await temp.cleanup()).toEqual([])
})

async function open(): Promise<void> {
  const path = join(temp.home, 'agent-orchestrator.yaml')
  mkdirSync(join(temp.home, 'app'), { recursive: true })
  writeFileSync(
    path,
    [
      'port: 65431',
      'webhooks: { github: { secret: "${HOOK}" } }',
      'projects:',
      '  app: { path: app, repo: Acme/App, scm: github }',
      '  other: { path: app, repo: acme/other, scm: github }',
      '  third: { path: app, repo: acme/app, scm: local }',
    ].join('\n'),
  )
  const place = { env: { ...temp.env, HOOK: SECRET, GITHUB_TOKEN: 'x' }, home: temp.home }
  requests = []
  server = await serve(path, place)
}

async function serve(path: string, place: { env: NodeJS.ProcessEnv; home: string }): Promise<DashboardServer> {
  const config = loadConfig({ path, ...place })
  await agreeToAll(config, place)
  const common = {
    config,
    registry: createPluginRegistry(place),
    log: silentLog,
    ...place,
  }
  const context = createManagerContext(common)
  const loop = { askForge: (id: string) => void requests.push(id), state: () => 'ready' as const }
  return serveDashboard({ context, manager: createSessionManager(common), loop }, { files: runFiles(context.paths) })
}

const BODY = JSON.stringify({
  action: 'synchronize',
  repository: { name: 'app', owner: { login: 'acme' } },
  pull_request: { number: 7, head: { ref: 'feat/x', sha: 'abc' } },
})

function post(options: {
  path?: string
  method?: string
  body?: string
  headers?: Record<string, string>
}): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        port: server.port,
        host: '127.0.0.1',
        path: options.path ?? '/api/webhooks/github',
        method: options.method ?? 'POST',
        headers: options.headers,
      },
      (response) => {
        response.resume()
        resolve(response.statusCode ?? 0)
      },
    )
    sent.on('error', reject)
    sent.end(options.body ?? BODY)
  })
}

const sign = (body: string, secret = SECRET): string =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`
const signed = (delivery: string, body = BODY): Record<string, string> => ({
  'content-type': 'application/json',
  'x-github-event': 'pull_request',
  'x-github-delivery': delivery,
  'x-hub-signature-256': sign(body),
})

describe('POST /api/webhooks/github', () => {
  it('ticks for the project whose repository it is about, and for no other', async () => {
    expect(await post({ headers: signed('d1') })).toBe(202)
    expect(requests).toEqual(['app'])
  })

  it('accepts a repeated delivery without acting on it, also after a restart', async () => {
    await post({ headers: signed('d1') })
    expect(await post({ headers: signed('d1') })).toBe(200)
    await server.close()
    await open()
    expect(await post({ headers: signed('d1') })).toBe(200)
    expect(requests).toEqual([])
    expect(await post({ headers: signed('d2') })).toBe(202)
  })

  it.each([
    ['no signature', { 'x-hub-signature-256': '' }],
    ['another secret', { 'x-hub-signature-256': sign(BODY, 'guess') }],
    ['the signature of another body', { 'x-hub-signature-256': sign('{}') }],
    ['an old kind of signature', { 'x-hub-signature-256': 'sha1=abc' }],
  ])('refuses %s', async (_what, headers) => {
    expect(await post({ headers: { ...signed('d1'), ...headers } })).toBe(401)
    expect(requests).toEqual([])
    // A refused one does not use up the delivery's id.
    expect(await post({ headers: signed('d1') })).toBe(202)
  })

  it('accepts nothing for a forge without a secret', async () => {
    expect(await post({ path: '/api/webhooks/gitlab', headers: signed('d1') })).toBe(404)
    expect(await post({ path: '/api/webhooks/local', headers: signed('d1') })).toBe(404)
  })

  it('opens nothing else', async () => {
    expect(await post({ path: '/', headers: signed('d1') })).toBe(405)
    expect(await post({ path: '/api/sessions', headers: signed('d1') })).toBe(401)
    expect(await post({ path: '/api/webhooks/../../etc/passwd', headers: signed('d1') })).toBe(405)
    expect(await post({ path: '/api/webhooks/github/../../sessions', headers: signed('d1') })).toBe(401)
    expect(await post({ method: 'PUT', headers: signed('d1') })).toBe(405)
  })

  it('refuses a body of more than five megabytes', async () => {
    const body = 'x'.repeat(6 * 1024 * 1024)
    const answer = await post({ headers: signed('d1', body), body }).catch(() => 413)
    expect(answer).toBe(413)
    expect(requests).toEqual([])
  })

  it('comes through a tunnel whose name is not ours', async () => {
    expect(await post({ headers: { ...signed('d1'), host: 'tunnel.example' } })).toBe(202)
  })
})

it('accepts no webhook where none is configured', async () => {
  await server.close()
  const path = join(temp.home, 'agent-orchestrator.yaml')
  writeFileSync(path, 'projects:\n  app: { path: app }\n')
  server = await serve(path, { env: temp.env, home: temp.home })
  expect(await post({ headers: signed('d1') })).toBe(404)
})

it('refuses a secret that is too short to be one', async () => {
  const path = join(temp.home, 'short.yaml')
  writeFileSync(path, 'webhooks: { github: { secret: short } }\nprojects:\n  app: { path: app, scm: github }\n')
  await expect(serve(path, { env: temp.env, home: temp.home })).rejects.toMatchObject({ code: 'CONFIG_INVALID' })
})
