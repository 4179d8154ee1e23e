// Hundreds of seeded lives of the train, which dies between any two writes, while people push and agents change their heads.
import { describe, expect, it } from 'vitest'
import { stepTrain, type TrainRule } from '../../src/landing/train/step-train.ts'
import {
  createWorld,
  DeathError,
  isGreen,
  newHead,
  type SimPull,
  startProcess,
  type World,
} from '../../src/rehearsal/train-world.ts'

function seeded(seed: number): () => number {
  let state = seed * 2_654_435_769 + 1
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) >>> 0
    return state / 2 ** 32
  }
}

const RULE: TrainRule = { batch: 4, order: 'safe', priority: ['urgent'] }

function createPulls(random: () => number, count: number): SimPull[] {
  return Array.from({ length: count }, (_, index) => {
    const number = index + 1
    const earlier = index === 0 ? null : 1 + Math.floor(random() * index)
    return {
      number,
      version: 1,
      bad: random() < 0.15,
      badWith: random() < 0.1 ? earlier : null,
      conflictsWith: random() < 0.15 ? earlier : null,
      landed: false,
      labels: random() < 0.1 ? ['urgent'] : [],
    }
  })
}

/** Until nothing is left to do. `chaos`: deaths, pushes and moved heads for this many steps. */
async function live(world: World, rule: TrainRule, chaos: number): Promise<void> {
  const { random } = world
  let process = startProcess(world, () => chaos > 0 && random() < 0.08)
  for (let step = 0; step < 3_000; step++) {
    chaos -= 1
    try {
      if (chaos > 0 && random() < 0.05) world.disk.base = [...world.disk.base, `push${step}`]
      const moving = chaos > 0 && random() < 0.05 ? [...world.pulls.values()].find(({ landed }) => !landed) : undefined
      if (moving) newHead(moving)
      const { kind } = await stepTrain(process.ports, rule)
      if (kind === 'waiting') process.finishChecks()
      if (kind === 'idle' && chaos <= 0) return
    } catch (error) {
      if (!(error instanceof DeathError)) throw error
      process = startProcess(world, () => chaos > 0 && random() < 0.08)
    }
  }
  throw new Error('the train never came to rest')
}

describe('the train in a world that does what it likes', () => {
  it('moves the base branch only to trees that passed, loses nobody, and tests no tree twice', async () => {
    for (let seed = 1; seed <= 300; seed++) {
      const random = seeded(seed)
      const world = createWorld(random, createPulls(random, 4 + Math.floor(random() * 10)))
      const order = seed % 3 === 0 ? 'fifo' : 'safe'
      await live(world, { ...RULE, order, batch: 1 + (seed % 5) }, 60)
      const { disk } = world
      for (const tree of disk.moved) {
        const passed = [...disk.results].some(([key, { state }]) => key.startsWith(`${tree} #`) && state === 'passed')
        expect({ seed, tree, passed }).toEqual({ seed, tree, passed: true })
      }
      expect({ seed, green: isGreen(world, disk.base) }).toEqual({ seed, green: true })
      expect({ seed, repeated: disk.repeated }).toEqual({ seed, repeated: [] })
      for (const pull of world.pulls.values()) {
        const left = disk.state.left.find((one) => one.pull === pull.number)
        const partners = [...world.pulls.values()].flatMap((one) => [one.badWith, one.conflictsWith])
        const isAlone = pull.badWith === null && pull.conflictsWith === null && !partners.includes(pull.number)
        const isInnocent = !pull.bad && isAlone
        if (isInnocent) expect({ seed, pull: pull.number, landed: pull.landed, left }).toMatchObject({ landed: true })
        if (pull.bad && pull.conflictsWith === null)
          expect({ seed, pull: pull.number, landed: pull.landed, why: left?.why }).toMatchObject({
            landed: false,
            why: 'red',
          })
      }
      expect({ seed, riders: disk.state.riders }).toEqual({ seed, riders: [] })
    }
  })

  it('runs every tree once when nothing dies and nothing flakes; a red car leaves alone', async () => {
    const world = createWorld(seeded(7), [
      { number: 1, version: 1, bad: false, badWith: null, conflictsWith: null, landed: false, labels: [] },
      { number: 2, version: 1, bad: true, badWith: null, conflictsWith: null, landed: false, labels: [] },
      { number: 3, version: 1, bad: false, badWith: null, conflictsWith: null, landed: false, labels: [] },
      { number: 4, version: 1, bad: false, badWith: 1, conflictsWith: null, landed: false, labels: [] },
    ])
    await live(world, RULE, 0)
    expect([...world.pulls.values()].map(({ landed }) => landed)).toEqual([true, false, true, false])
    expect(world.disk.state.left.map(({ pull, why, check, ahead }) => [pull, why, check, ahead])).toEqual([
      [2, 'red', 'test', [1, 3]],
      [4, 'red', 'test', [1, 3]],
    ])
    expect([...world.disk.runs.values()].every((count) => count === 1)).toBe(true)
    expect(world.disk.state.flaky).toEqual([])
  })

  it('a flaky check gets one second chance, which is counted, and costs nobody the ride', async () => {
    let calls = 0
    const world = createWorld(
      () => (calls++ === 0 ? 0 : 1),
      createPulls(() => 1, 1),
    )
    world.flakiness = 0.5
    await live(world, RULE, 0)
    expect([world.pulls.get(1)?.landed, world.disk.state.flaky.length, world.disk.state.left]).toEqual([true, 1, []])
  })

  it('a base branch that is red stops the train and blames nobody; a fix starts it again', async () => {
    const world = createWorld(
      seeded(3),
      createPulls(() => 1, 3),
    )
    world.baseIsRed = true
    await live(world, RULE, 0)
    expect(world.disk.state.stopped).toMatchObject({ check: 'test' })
    expect([world.disk.state.left, world.disk.moved, world.disk.state.riders.length]).toEqual([[], [], 3])
    world.disk.base = [...world.disk.base, 'fix']
    await live(world, RULE, 0)
    expect([...world.pulls.values()].map(({ landed }) => landed)).toEqual([true, true, true])
  })

  it('nobody waits forever: one that collides with everybody lands although others keep coming', async () => {
    const random = seeded(11)
    const pull = (number: number, more: Partial<SimPull> = {}): SimPull => {
      return { number, version: 1, bad: false, badWith: null, conflictsWith: null, landed: false, labels: [], ...more }
    }
    const world = createWorld(random, [pull(1)])
    const process = startProcess(world, () => false)
    let landed = 0
    for (let step = 0; step < 400 && !world.pulls.get(1)!.landed; step++) {
      // The newcomers go first: they are urgent, and collide with the first one.
      const waiting = [...world.pulls.values()].filter((one) => !one.landed).length
      if (waiting < 6) {
        const number = world.pulls.size + 1
        world.pulls.set(number, pull(number, { labels: ['urgent'], conflictsWith: 1 }))
      }
      const { kind } = await stepTrain(process.ports, RULE)
      if (kind === 'waiting') process.finishChecks()
      landed = [...world.pulls.values()].filter((one) => one.landed).length
    }
    expect(world.pulls.get(1)!.landed).toBe(true)
    expect(landed).toBeLessThan(20)
  })
})
