// What helps when something is wrong: the log of the loop, and a bundle for somebody far away.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { type AoWorld, buildAo, createAoWorld } from '../support/run-ao.ts'

let world: AoWorld
beforeAll(buildAo)
beforeEach(() => {
  world = createAoWorld()
})
afterEach(async () => {
  expect(await world.temp.cleanup()).toEqual([])
})

it('ao logs, the support bundle without secrets, and /api/v1 with problems as RFC 9457', async () => {
  expect((await world.ao(['logs'])).stderr).toContain('Start the loop with: ao start')
  const file = join(world.repo, 'agent-orchestrator.yaml')
  writeFileSync(
    file,
    `${readFileSync(file, 'utf8')}notifiers: { hook: { plugin: webhook, url: "https://x.invalid/", secret: literal-hunter2 } }\n`,
  )
  await world.agree()
  const { port } = await world.json<{ port: number }>(['start'])
  expect((await world.ao(['logs'])).stdout).toContain('watching app')
  expect((await world.ao(['logs', '-n', '1'])).stdout.trim().split('\n')).toHaveLength(1)

  const env = { GITHUB_TOKEN: 'ghp_0123456789abcdefghijklmnopqrstuvwxyz', MY_API_KEY: 'sk-not-for-others-0123456789' }
  const wrote = await world.ao(['doctor', '--bundle', 'bundle.md'], { env })
  expect(wrote.stdout).toContain(`wrote ${join(world.repo, 'bundle.md')}`)
  const bundle = readFileSync(join(world.repo, 'bundle.md'), 'utf8')
  for (const part of ['## doctor', '## configuration', '## end of the log', 'watching app', 'MY_API_KEY']) {
    expect(bundle).toContain(part)
  }
  for (const secret of ['hunter2', ...Object.values(env)]) expect(bundle).not.toContain(secret)
  expect((await world.ao(['doctor', '--bundle', 'bundle.md'])).stderr).toContain('exists already')

  const [token] = readdirSync(join(world.temp.home, '.ao', 'run')).filter((name) => name.endsWith('.token'))
  const headers = {
    authorization: `Bearer ${readFileSync(join(world.temp.home, '.ao', 'run', token!), 'utf8').trim()}`,
  }
  const get = (path: string, more = {}) =>
    fetch(`http://127.0.0.1:${port}${path}`, { headers: { ...headers, ...more } })
  expect(await (await get('/api/v1/sessions')).json()).toEqual(await (await get('/api/sessions')).json())
  const problem = await get('/api/v1/sessions/app-9', { accept: 'application/problem+json' })
  expect([problem.status, problem.headers.get('content-type')]).toEqual([404, 'application/problem+json'])
  expect(await problem.json()).toMatchObject({ title: 'SESSION_NOT_FOUND', status: 404, detail: expect.any(String) })
  await world.ao(['stop'])
})
