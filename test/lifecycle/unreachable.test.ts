// What the loop does about agents in a place that does not answer.
import { afterEach, expect, it } from 'vitest'
import type { Liveness } from '../../src/slots/runtime.ts'
import { agreeToAll } from '../support/agree.ts'
import { createLoopWorld, type LoopWorld } from './loop-world.ts'

let world: LoopWorld
afterEach(() => world.cleanup())

it('notifies once for each outage of a place, and stores no activity meanwhile', async () => {
  const lost = new Map<string, Date>()
  const probe = (id: string): Liveness => {
    const since = lost.get(id)
    const why = 'box cannot be reached: timed out'
    return since
      ? { state: 'unknown', why, agent: { place: 'box', why, since, unreachable: true } }
      : { state: 'alive' }
  }
  world = await createLoopWorld({
    runtime: { probe: async (handles) => new Map(handles.map(({ id }) => [id, probe(id)])) },
    agent: { getActivityState: async () => ({ state: 'active', timestamp: world.clock.now() }) },
  })
  await agreeToAll(world.config, { home: world.temp.home, env: world.temp.env })
  const ids = [await world.spawn(), await world.spawn()]
  const told = () =>
    world.notifications.filter(({ type }) => type === 'place.unreachable').map(({ message }) => message)
  const handleOf = (id: string) => world.store.read(id)!.record.runtimeHandle!.id
  await world.tick()
  expect(world.store.read(ids[0]!)!.record.activity).toBe('active')
  expect(told()).toEqual([])

  lost.set(handleOf(ids[0]!), world.clock.now())
  await world.tick({ only: new Set([ids[0]!]) })
  world.clock.pass(3_000)
  lost.set(handleOf(ids[1]!), world.clock.now())
  await world.tick()
  await world.tick()
  expect(told()).toEqual([expect.stringMatching(/the place box cannot be reached, so what 1 agent there is doing/)])
  expect(ids.map((id) => world.store.read(id)!.record.activity)).toEqual([undefined, undefined])
  expect(ids.map((id) => world.status(id))).toEqual(['working', 'working'])

  lost.clear()
  await world.tick()
  expect(world.store.read(ids[0]!)!.record.activity).toBe('active')
  world.clock.pass(60_000)
  for (const id of ids) lost.set(handleOf(id), world.clock.now())
  await world.tick()
  expect(told()).toHaveLength(2)
})

it('notifies once of work that is too large to come home', async () => {
  let workLeft: string | undefined
  world = await createLoopWorld({
    runtime: { probe: async (handles) => new Map(handles.map(({ id }) => [id, { state: 'alive', workLeft }])) },
    agent: { getActivityState: async () => ({ state: 'active', timestamp: world.clock.now() }) },
  })
  await agreeToAll(world.config, { home: world.temp.home, env: world.temp.env })
  const id = await world.spawn()
  const told = () => world.notifications.filter(({ type }) => type === 'place.work-left').map(({ message }) => message)
  await world.tick()
  expect(told()).toEqual([])
  workLeft = '1 untracked file of 100 MB stays in box'
  await world.tick()
  workLeft = '2 untracked files of 200 MB stay in box'
  await world.tick()
  expect(told()).toEqual([`${id}: 1 untracked file of 100 MB stays in box`])
})
