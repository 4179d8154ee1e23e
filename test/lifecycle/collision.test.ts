// The reaction `collision`, from a picture of the radar to the agent.
import { afterEach, describe, expect, it } from 'vitest'
import type { Collision } from '../../src/core/radar/collisions.ts'
import { createLoopWorld, type LoopWorld } from './loop-world.ts'

describe('a collision with work that is further', () => {
  let world: LoopWorld
  afterEach(async () => {
    await world.cleanup()
  })

  const collide = (id: string, ...paths: string[]) => {
    const other = { id: 'app-9', title: 'Round prices', branch: 'feat/issue-9' } as Collision['other']
    const side = { change: 'modified' as const, lines: [] }
    const files = paths.map((path) => ({ path, own: side, their: side, hunks: [{ own: 'mine', their: 'yours' }] }))
    const collisions = paths.length === 0 ? new Map() : new Map([[id, [{ other, stage: 'it began earlier', files }]]])
    world.loop.radar.set('my-app', { picture: {} as never, collisions })
  }
  const messages = (id: string) =>
    world.store.readHistory(id).events.flatMap((one) => (one.type === 'message.queued' ? [one.source] : []))

  it('is sent to the agent once, and again only for another file', async () => {
    world = await createLoopWorld()
    const id = await world.spawn()
    const before = messages(id).length
    for (const paths of [['a.ts'], ['a.ts'], [], ['a.ts']]) {
      collide(id, ...paths)
      await world.tick()
    }
    expect(messages(id).slice(before)).toEqual(['collision'])
    collide(id, 'a.ts', 'b.ts')
    await world.tick()
    expect(messages(id).slice(before)).toEqual(['collision', 'collision'])
  })

  it.each([
    ['notify', 'work.collision'],
    ['off', null],
  ])('with action %s the agent hears nothing', async (action, type) => {
    world = await createLoopWorld({ projectYaml: `reactions: { collision: { action: ${action} } }\n` })
    const id = await world.spawn()
    const before = messages(id).length
    collide(id, 'a.ts')
    await world.tick()
    await world.tick()
    expect(messages(id).slice(before)).toEqual([])
    const heard = world.notifications.filter((one) => one.type === 'work.collision').map((one) => one.type)
    expect(heard).toEqual(type === null ? [] : [type])
  })
})
