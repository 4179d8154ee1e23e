// Hundreds of seeded lives of the train, which dies between any two writes, while people push and agents change their heads.
import { describe, expect, it } from 'vitest'
import { stepTrain } from '../../src/landing/train/step-train.ts'
import { createWorld, isReviewRequested, rebase, type SimPull, startProcess } from '../../src/rehearsal/train-world.ts'
import { createPulls, live, RULE, seeded, troubleOf } from './train-lives.ts'

describe('the train in a world that does what it likes', () => {
  it('moves the base branch only to trees that passed, loses nobody, and tests no tree twice', async () => {
    for (let seed = 1; seed <= 300; seed++)
      expect({ seed, trouble: await troubleOf(seed) }).toEqual({ seed, trouble: [] })
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
      // Its agent rebases whenever it is asked to, and meets the next ones.
      const first = world.pulls.get(1)!
      if (isReviewRequested(world, first)) rebase(world, first)
      const { kind } = await stepTrain(process.ports, RULE)
      if (kind === 'waiting') process.finishChecks()
      landed = [...world.pulls.values()].filter((one) => one.landed).length
    }
    expect(world.pulls.get(1)!.landed).toBe(true)
    expect(landed).toBeLessThan(20)
  })
})
