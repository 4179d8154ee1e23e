// While everything is paused no agent starts, whichever way it would.
import { dirname } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createManagerContext } from '../../src/manager/context.ts'
import { spawn } from '../../src/manager/launch/spawn.ts'
import type { SessionManager } from '../../src/manager/session-manager.ts'
import { changePause } from '../../src/store/fleet-pause.ts'
import { createFakeWorld, type FakeWorld } from './fake-world.ts'

let world: FakeWorld
let id: string
beforeEach(async () => {
  world = await createFakeWorld()
  id = (await world.manager.spawn({ projectId: 'my-app', prompt: 'go' })).id
  const at = new Date().toISOString()
  await changePause({ dataDir: dirname(world.paths.dir) }, () => ({ at, by: 'me', state: 'paused', stopped: [] }))
})
afterEach(() => world.cleanup())

const WAYS: Array<[string, (manager: SessionManager) => Promise<unknown>]> = [
  ['spawn', (manager) => manager.spawn({ projectId: 'my-app', prompt: 'x' })],
  ['a schedule', (manager) => manager.startDue('my-app', 'nightly')],
  ['a trigger', (manager) => manager.startTriggered('my-app', 'label')],
  ['a reviewer', (manager) => manager.startReview(id)],
  ['several at one task', (manager) => manager.spawnTask({ prompt: 'x' } as never)],
  ['a plan that is accepted', (manager) => manager.acceptProposal('plan-1', 'digest')],
  ['fork', (manager) => manager.fork(id)],
  ['restore', (manager) => manager.restore(id)],
]

it.each(WAYS)('not by %s', async (_way, start) => {
  const before = world.calls.length
  await expect(start(world.manager)).rejects.toMatchObject({ code: 'PAUSED' })
  expect(world.calls.slice(before)).toEqual([])
})

it('nor by what another command left to be started, of which nothing stays behind', async () => {
  const { config, registry, env, temp } = world
  const context = createManagerContext({ config, registry, env, home: temp.home, aoCommand: ['ao'] })
  const before = world.launches.length
  await expect(spawn(context, { projectId: 'my-app', prompt: 'x' })).rejects.toMatchObject({ code: 'PAUSED' })
  expect(world.launches).toHaveLength(before)
  expect((await world.manager.list()).map((session) => session.id)).toEqual([id])
})
