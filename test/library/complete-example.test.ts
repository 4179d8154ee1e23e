// The complete example of seed 002, on the library with real git, tmux and the demo agent.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import {
  createPluginRegistry,
  createSessionManager,
  isRestorable,
  loadConfig,
  type SessionManager,
} from '../../src/index.ts'
import { createRepo } from '../support/git-repo.ts'
import { createTempHome, type TempHome } from '../support/temp-home.ts'
import { waitFor } from '../support/wait-for.ts'

let temp: TempHome
let manager: SessionManager

beforeEach(async () => {
  temp = createTempHome()
  createRepo(join(temp.home, 'my-app'), temp.env)
  createRepo(join(temp.home, 'other'), temp.env)
  const path = join(temp.home, 'agent-orchestrator.yaml')
  writeFileSync(
    path,
    'defaults: { agent: demo, runtime: tmux }\nprojects:\n  my-app: { path: my-app, sessionPrefix: my-app }\n  other: { path: other }\n',
  )
  const place = { env: { ...temp.env, DEMO_AGENT_SPEED: '200' }, home: temp.home }
  const config = loadConfig({ path, ...place })
  const registry = createPluginRegistry(place)
  await registry.loadBuiltins(config)
  manager = createSessionManager({ config, registry, ...place })
})
afterEach(async () => {
  expect(await temp.cleanup()).toEqual([])
})

it('S2.89 S2.5 S2.3 S3.25 spawns, lists, sends, cleans up, and restores what was cleaned up', async () => {
  const session = await manager.spawn({
    projectId: 'my-app',
    issueId: 'INT-1234',
    prompt: 'Add TypeScript types to the API',
  })
  expect(session.id).toBe('my-app-1')
  expect(session.branch).toBe('feat/INT-1234')

  const sessions = await manager.list()
  expect(sessions.map(({ id }) => id)).toEqual(['my-app-1'])
  for (const one of sessions)
    expect(`${one.id}: ${one.status} (${one.activity ?? 'unknown'})`).toMatch(/^my-app-1: \w+ \(\w+\)$/)

  await waitFor('its first turn', async () => (await manager.get(session.id))?.activity === 'ready')
  await manager.send(session.id, 'Please add unit tests for the new types')
  await manager.kill(session.id, { keepWorkspace: true })

  const ended = (await manager.get(session.id))!
  expect(isRestorable(ended)).toBe(true)
  const cleaned = await manager.cleanup()
  expect(cleaned).toEqual({ killed: ['my-app-1'], skipped: [], errors: [] })
  const restored = await manager.restore(session.id)
  expect(restored.id).toBe(session.id)
  expect(restored.restoredAt).toBeInstanceOf(Date)
})

it('S2.68 S2.43 cleans up one project only on request, S3.29 what has ended', async () => {
  const first = await manager.spawn({ projectId: 'my-app', prompt: 'a' })
  const second = await manager.spawn({ projectId: 'other', prompt: 'b' })
  await manager.kill(first.id, { keepWorkspace: true })
  await manager.kill(second.id, { keepWorkspace: true })
  expect((await manager.cleanup('other')).killed).toEqual([second.id])
  expect((await manager.list()).map(({ id }) => id)).toEqual([first.id])
  expect((await manager.cleanup()).killed).toEqual([first.id])
})

it('S2.58 S3.26 refuses to restore a live session and changes nothing', async () => {
  const { id } = await manager.spawn({ projectId: 'my-app', prompt: 'a' })
  const before = (await manager.get(id))!.metadata
  await expect(manager.restore(id)).rejects.toMatchObject({ name: 'SessionNotRestorableError' })
  expect((await manager.get(id))!.metadata).toEqual(before)
})

it('S2.10 S0.5 runs an agent that a plugin from a path brings, without changing the core', async () => {
  const folder = join(temp.home, '.ao', 'plugins', 'node_modules', 'ao-agent-echo')
  mkdirSync(folder, { recursive: true })
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({ name: 'ao-agent-echo', version: '1.0.0', type: 'module', main: 'index.js' }),
  )
  writeFileSync(
    join(folder, 'index.js'),
    `export const plugin = {
      manifest: { slot: 'agent', name: 'echo', description: 'echoes', version: '1.0.0' },
      create: () => ({
        name: 'echo', promptDelivery: 'inline', activitySource: 'native', readsAoDirectory: true,
        getLaunchCommand: ({ prompt }) => ['sh', '-c', 'echo "$1"; exec cat', 'echo', prompt ?? ''],
        getEnvironment: () => ({}), getActivityState: async () => null, detectActivity: () => null, getSessionInfo: async () => null,
      }),
    }`,
  )
  const path = join(temp.home, 'agent-orchestrator.yaml')
  writeFileSync(
    path,
    'plugins: { external: [{ package: ao-agent-echo }] }\nprojects:\n  my-app: { path: my-app, agent: echo }\n',
  )
  const place = { env: temp.env, home: temp.home }
  const config = loadConfig({ path, ...place })
  const registry = createPluginRegistry(place)
  await registry.loadBuiltins(config)
  const session = await createSessionManager({ config, registry, ...place }).spawn({
    projectId: 'my-app',
    prompt: 'hello there',
  })
  const runtime = await registry.load('runtime', 'tmux')
  await waitFor('its words', async () => (await runtime.getOutput(session.runtimeHandle!)).includes('hello there'))
})
