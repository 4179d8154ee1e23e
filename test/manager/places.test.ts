// How many sessions a place takes, through the real manager and registry. What runs there only remembers.
import { afterEach, describe, expect, it } from 'vitest'
import { recordOf } from '../../src/contract/record.ts'
import type { Runtime } from '../../src/slots/runtime.ts'
import { agreeToAll } from '../support/agree.ts'
import { createFakeWorld, type FakeWorld } from './fake-world.ts'

let world: FakeWorld
/** What became of each place when its session was ended: paused, or given back. */
const left: Array<string | undefined> = []
/** Whether agents there were stopped, or let go on. */
const stops: boolean[] = []
afterEach(() => {
  left.length = 0
  stops.length = 0
  return world.cleanup()
})

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
      async destroy(handle, options) {
        left.push(options?.pause ?? 'given back')
        await base.destroy(handle, options)
      },
      elsewhere: {
        place: place!.name,
        canPause: place!.name !== 'stubborn',
        readAgent: (_handle, agent) => agent,
        ...(place!.name !== 'stubborn' && {
          setStopped: async (_handle, stopped) => void stops.push(stopped),
        }),
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

describe('a paused session', () => {
  const paused = async (id: string) => recordOf((await world.manager.get(id))!).paused

  it('keeps its place for a restore or a message; elsewhere, or when it is killed, the place is given back', async () => {
    const { manager } = await given('{ a: { type: crate }, b: { type: crate } }', 'a')
    const { id } = await manager.spawn({ projectId: 'my-app', prompt: 'one' })
    await manager.pause(id)
    await manager.pause(id)
    expect(await paused(id)).toBeInstanceOf(Date)
    expect(await places()).toEqual([0, 0])
    await manager.restore(id)
    expect(await paused(id)).toBeUndefined()
    expect(left.splice(0)).toEqual(['now', 'keep'])
    await manager.pause(id)
    const fromAgent = manager.deliver(id, 'Go on', { source: 'my-app-orchestrator' })
    await expect(fromAgent).rejects.toMatchObject({ code: 'SESSION_NOT_RUNNING' })
    await manager.move(id, { place: 'b' })
    expect(left.splice(0)).toEqual(['now', 'given back'])
    await manager.pause(id)
    await manager.kill(id, { keepWorkspace: true })
    expect(left.splice(0)).toEqual(['now', 'given back'])
    expect(await paused(id)).toBeUndefined()
  })

  it('is refused where the place cannot, and where nothing runs; nothing is ended', async () => {
    const { manager } = await given('{ stubborn: { type: crate } }', 'stubborn')
    const { id } = await manager.spawn({ projectId: 'my-app', prompt: 'one' })
    const refused = 'runs in the place stubborn, which cannot pause it'
    await expect(manager.pause(id)).rejects.toThrow(refused)
    expect(left).toEqual([])
    await manager.kill(id, { keepWorkspace: true })
    await expect(manager.pause(id)).rejects.toMatchObject({ code: 'SESSION_NOT_RUNNING' })
  })
})

describe('ao pause', () => {
  it('stops agents in places and lets the same go on; one that cannot be stopped there is named', async () => {
    const { manager } = await given('{ a: { type: crate }, stubborn: { type: crate } }', '[a, stubborn]')
    const { id } = await manager.spawn({ projectId: 'my-app', prompt: 'one' })
    const other = await manager.spawn({ projectId: 'my-app', prompt: 'two' }, { place: 'stubborn' })
    const { pause, notStopped } = await manager.pauseFleet({ by: 'maria' })
    expect(stops).toEqual([true])
    expect(pause.stopped.map(({ sessionId, place }) => [sessionId, place])).toEqual([[id, 'a']])
    expect(notStopped).toEqual([{ sessionId: other.id, why: 'its place cannot stop an agent' }])
    expect((await manager.get(id))?.agentInfo?.paused?.why).toBe('by maria')
    expect((await manager.get(other.id))?.agentInfo?.paused).toBeUndefined()
    expect(await manager.resumeFleet()).toEqual({ continued: [id], restored: [], failed: [] })
    expect(stops).toEqual([true, false])
    expect((await manager.get(id))?.agentInfo?.paused).toBeUndefined()
  })

  it('of one agent in a place leaves the others alone, and everything else that goes on leaves it stopped', async () => {
    const { manager } = await given('{ a: { type: crate } }', 'a')
    const { id } = await manager.spawn({ projectId: 'my-app', prompt: 'one' })
    await manager.spawn({ projectId: 'my-app', prompt: 'two' })
    expect(await manager.pauseAgent(id, 'it has used $5.20')).toBe(true)
    expect(await manager.pauseAgent(id, 'it has used $5.20')).toBe(true)
    expect(stops.splice(0)).toEqual([true])
    await manager.pauseFleet({ by: 'maria' })
    expect(await manager.resumeAgent(id)).toBe(false)
    stops.splice(0)
    await manager.resumeFleet()
    expect(stops.splice(0)).toEqual([false])
    expect((await manager.get(id))?.agentInfo?.paused?.why).toBe('by the budget: it has used $5.20')
    expect(await manager.resumeAgent(id)).toBe(true)
    expect(stops).toEqual([false])
    expect((await manager.get(id))?.agentInfo?.paused).toBeUndefined()
  })
})
