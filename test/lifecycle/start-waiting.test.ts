// Sessions that wait, in the loop: what it costs to ask, and what it does with circles.
import { afterEach, expect, it } from 'vitest'
import type { Blocker } from '../../src/contract/blocker.ts'
import { AoError } from '../../src/contract/errors.ts'
import { startWaiting } from '../../src/lifecycle/loop/start-waiting.ts'
import { storedSessions } from '../../src/manager/active.ts'
import { createLoopWorld, type LoopWorld } from './loop-world.ts'

let world: LoopWorld

afterEach(async () => expect(await world.temp.cleanup()).toEqual([]))

const poll = () => {
  const { loop, config } = world
  return startWaiting(loop, config.projects['my-app']!, storedSessions(loop.context, 'my-app'))
}

const wait = (id: string, blockers: Blocker[], issue?: string) =>
  world.store.reserve(
    id,
    { project: 'my-app', agent: 'fake', issue: issue ?? null, blockers, waitsSince: world.clock.now() },
    { type: 'session.reserved', project: 'my-app', agent: 'fake', branch: 'b', issue: null, role: 'worker' },
  )

const issueOf = (id: string): Blocker => ({ kind: 'issue', project: 'my-app', id })

it('asks the tracker once in 30 s, however many wait and however often it polls', async () => {
  let questions = 0
  const open = (id: string) => ({ id, title: '', description: '', url: '', state: 'open' as const, labels: [] })
  const tracker = {
    async listIssues() {
      questions += 1
      return [open('1'), open('2')]
    },
    async getIssue() {
      questions += 1
      return open('1')
    },
  }
  world = await createLoopWorld({ tracker })
  for (let number = 1; number <= 30; number++) await wait(`app-${number}`, [issueOf('1'), issueOf('2')])
  for (let second = 0; second < 29; second += 5) {
    await poll()
    world.clock.pass(5_000)
  }
  expect(questions).toBe(1)
  world.clock.pass(5_000)
  await poll()
  expect(questions).toBe(2)
})

it('holds back what waits for itself, with the way, and asks about it once', async () => {
  world = await createLoopWorld()
  await wait('app-1', [issueOf('2')], '1')
  await wait('app-2', [{ kind: 'session', id: 'app-1' }], '2')
  await poll()
  expect(world.store.read('app-1')?.record.heldBack).toBe('it waits for itself: app-1 needs #2 needs app-1')
  const printed = world.lines.length
  await poll()
  expect(world.lines).toHaveLength(printed)
})

it('asks a person when what its start needs is missing, and tries again when a place had no room', async () => {
  world = await createLoopWorld()
  await wait('app-1', [])
  await wait('app-2', [])
  const codes = { 'app-1': 'TOOL_MISSING', 'app-2': 'PLACE_FULL' } as const
  const attempts: string[] = []
  const startOne = async (id: string): Promise<never> => {
    attempts.push(id)
    throw new AoError(codes[id as keyof typeof codes], 'it cannot')
  }
  const loop = { ...world.loop, manager: { ...world.loop.manager, startWaiting: startOne } }
  const again = () => startWaiting(loop, world.config.projects['my-app']!, storedSessions(loop.context, 'my-app'))
  await again()
  await again()
  expect(world.store.read('app-1')?.record.heldBack).toBe('its start failed: it cannot')
  expect(world.store.read('app-2')?.record.heldBack).toBeUndefined()
  expect(attempts).toEqual(['app-1', 'app-2', 'app-2'])
})
