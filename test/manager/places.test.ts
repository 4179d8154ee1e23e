// How many sessions a place takes, through the real manager and registry. What runs there only remembers.
import { afterEach, describe, expect, it } from 'vitest'
import type { Runtime } from '../../src/slots/runtime.ts'
import { agreeToAll } from '../support/agree.ts'
import { createFakeWorld, type FakeWorld } from './fake-world.ts'

let world: FakeWorld
afterEach(() => world.cleanup())

/** Two places of the same engine. */
async function given(places: string, of: string): Promise<FakeWorld> {
  world = await createFakeWorld({
    yaml: `defaults: { runtime: fake, agent: fake, workspace: fake }\nplaces: ${places}`,
    projectYaml: `place: ${of}`,
  })
  await world.registry.loadBuiltins(world.config, { lazy: true })
  const base = await world.registry.load('runtime', 'fake')
  world.registry.register({
    manifest: { slot: 'runtime', name: 'crate', description: 'somewhere else', version: '0' },
    create: (_options, { place }): Runtime => ({
      ...base,
      name: place!.name,
      create: async (launch) => ({ ...(await base.create(launch)), runtimeName: place!.name }),
      elsewhere: {
        place: place!.name,
        readAgent: (_handle, agent) => agent,
        describe: () => [],
        check: async () => 'it is there',
      },
    }),
  })
  await agreeToAll(world.config, { home: world.temp.home, env: world.env })
  return world
}

const spawnMany = (count: number) => {
  const managers = [world.manager, world.another(), world.another(), world.another()]
  return Promise.allSettled(
    Array.from({ length: count }, (_, n) => managers[n % 4]!.spawn({ projectId: 'my-app', prompt: String(n) })),
  )
}

const places = async () => (await world.manager.listPlaces()).map(({ sessions }) => sessions.length)

describe('maxSessions', () => {
  it('is exact, however many spawn at the same moment; the rest go to the next place, or are refused', async () => {
    await given('{ a: { type: crate, maxSessions: 2 }, b: { type: crate, maxSessions: 3 } }', '[a, b]')
    const outcomes = await spawnMany(12)
    const refused = outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
    expect(refused.map(({ code }) => code)).toEqual(Array(7).fill('PLACE_FULL'))
    expect(refused[0]!.message).toBe(
      'No place of my-app has room: a: 2 of 2 sessions are there; b: 3 of 3 sessions are there',
    )
    expect(await places()).toEqual([2, 3])
  })

  it('counts a restored session, too', async () => {
    const { manager } = await given('{ a: { type: crate, maxSessions: 1 } }', 'a')
    const { id } = await manager.spawn({ projectId: 'my-app', prompt: 'one' })
    await manager.kill(id, { keepWorkspace: true })
    const other = await manager.spawn({ projectId: 'my-app', prompt: 'two' })
    await expect(manager.restore(id)).rejects.toMatchObject({ code: 'PLACE_FULL' })
    await manager.kill(other.id, { keepWorkspace: true })
    expect((await manager.restore(id)).id).toBe(id)
    expect(await places()).toEqual([1])
  })

  it('is known by name: an unknown place is refused before anything exists', async () => {
    const { manager, calls } = await given('{ a: { type: crate } }', 'a')
    const spawned = manager.spawn({ projectId: 'my-app', prompt: 'x' }, { place: 'nowhere' })
    await expect(spawned).rejects.toMatchObject({
      code: 'PLACE_NOT_FOUND',
      message: 'There is no place nowhere; the configuration has: a',
    })
    expect(calls).toEqual([])
  })
})
