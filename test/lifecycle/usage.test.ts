import { afterEach, expect, it } from 'vitest'
import { createLoopWorld, type LoopWorld } from './loop-world.ts'

const MINUTE = 60_000
let world: LoopWorld
let tokens = 0
let price: number | null = null

async function open(): Promise<string> {
  tokens = 0
  price = null
  world = await createLoopWorld({
    agent: {
      getSessionInfo: async () => ({
        summary: null,
        agentSessionId: null,
        cost: {
          inputTokens: tokens,
          outputTokens: 0,
          cacheReadTokens: 0,
          cacheWriteTokens: 0,
          estimatedCostUsd: price,
        },
      }),
    },
  })
  return world.spawn()
}

function usage(id: string) {
  return world.store
    .readHistory(id)
    .events.flatMap((event) => (event.type === 'usage' ? [{ tokens: event.tokens, costUsd: event.costUsd }] : []))
}

afterEach(() => world.cleanup())

it('notes what an agent used, when it grew, and at most once a minute', async () => {
  const id = await open()
  await world.tick()
  expect(usage(id)).toEqual([])
  tokens = 100
  await world.tick()
  tokens = 200
  await world.tick()
  expect(usage(id)).toEqual([{ tokens: 100, costUsd: null }])
  world.clock.pass(MINUTE)
  price = 0.25
  await world.tick()
  world.clock.pass(MINUTE)
  await world.tick()
  expect(usage(id)).toEqual([
    { tokens: 100, costUsd: null },
    { tokens: 200, costUsd: 0.25 },
  ])
})

it('notes the cost of a turn that is still running or failed, whose tokens are not known yet', async () => {
  const id = await open()
  price = 1.5
  await world.tick()
  world.clock.pass(MINUTE)
  price = 2
  await world.tick()
  expect(usage(id)).toEqual([
    { tokens: 0, costUsd: 1.5 },
    { tokens: 0, costUsd: 2 },
  ])
})
