import { describe, expect, it } from 'vitest'
import { type Car, decideCars, type TreeResult } from './decide-train.ts'
import { MOST_PASSED_OVER, offeredOrder, orderCars } from './order-cars.ts'
import { EMPTY_TRAIN, type Rider, type TrainState } from './train-state.ts'

const rider = (pull: number, more: Partial<Rider> = {}): Rider => ({
  pull,
  headSha: `h${pull}`,
  by: 'ao',
  at: '2026-01-01',
  passedOver: 0,
  ...more,
})

describe('what repairs the base branch', () => {
  const repair = rider(9, { first: true })

  it('goes ahead of everything, also of one that was overtaken too often and of urgent ones', () => {
    const riders = [rider(1, { passedOver: MOST_PASSED_OVER }), rider(2), rider(3, { suspect: 'unit' }), repair]
    const facts = { labelsOf: (pull: number) => (pull === 2 ? ['urgent'] : []), collide: () => false, offered: [1] }
    const order = orderCars(riders, { order: 'safe', priority: ['urgent'], batch: 8 }, facts)
    expect(order.map(({ pull }) => pull)[0]).toBe(9)
  })

  const stopped: TrainState = {
    ...EMPTY_TRAIN,
    stopped: { base: 'b', tree: 'red', check: 'unit', at: '2026-01-01' },
    riders: [repair, rider(1)],
  }
  const decide = (state: TrainState, pull: number, results: Record<string, TreeResult>) => {
    const car: Car = { pull, headSha: `h${pull}`, commit: `c${pull}`, tree: `t${pull}` }
    return decideCars(
      state,
      { base: 'b', baseTree: 'red', cars: [car], conflicts: [] },
      (tree) => results[tree] ?? null,
    )
  }
  const failed: TreeResult = { state: 'failed', check: 'unit' }

  it('is tested and lands although the train has stopped; nothing else does', () => {
    expect(decide(stopped, 9, {}).test).toHaveLength(1)
    expect(decide(stopped, 9, { t9: { state: 'passed' } }).land).toMatchObject({ pull: 9 })
    expect(decide(stopped, 1, { t1: { state: 'passed' } })).toEqual({ events: [], test: [], land: null })
    const paused = { ...stopped, paused: { by: 'sam', at: '2026-01-01' } }
    expect(decide(paused, 9, { t9: { state: 'passed' } }).land).toBeNull()
  })

  it('leaves when it does not repair it, and the train stays where it is', () => {
    const suspect = { ...stopped, riders: [{ ...repair, suspect: 'unit' }] }
    expect(decide(suspect, 9, { t9: failed, red: failed }).events).toMatchObject([
      { type: 'left', pull: 9, why: 'red' },
    ])
  })
})

describe('an order that agents were asked to build on', () => {
  const car = (pull: number) => ({ pull, headSha: `h${pull}` })
  // X1 collides with P3 and Q4, which collide with each other: Z2 goes first, then X1; P3 and Q4 leave.
  const pairs = ['1 3', '1 4', '3 4']
  const collide = (a: number, b: number) => pairs.includes(`${a} ${b}`) || pairs.includes(`${b} ${a}`)
  const rule = { order: 'safe' as const, priority: [], batch: 8 }
  const order = (state: TrainState) =>
    orderCars(state.riders, rule, { labelsOf: () => [], collide, offered: offeredOrder(state) }).map(({ pull }) => pull)
  const all: TrainState = { ...EMPTY_TRAIN, riders: [1, 2, 3, 4].map((pull) => rider(pull)) }
  const offered: TrainState = {
    ...all,
    riders: [rider(1), rider(2)],
    offers: [
      { commit: 'z', cars: [car(2)] },
      { commit: 'zx', cars: [car(2), car(1)] },
    ],
  }

  it('stays when those that it was offered to have left', () => {
    expect(order(all)).toEqual([2, 1, 3, 4])
    expect(order({ ...offered, offers: [] })).toEqual([1, 2])
    expect(order(offered)).toEqual([2, 1])
  })

  it.each<[string, Partial<TrainState>, number[]]>([
    [
      'its first one has landed',
      { riders: [rider(5), rider(1)], landed: [{ ...car(2), commit: 'z', at: '' }] },
      [1, 5],
    ],
    ['its first one has left', { riders: [rider(5), rider(1)] }, [5, 1]],
    ['its second one has another head', { riders: [rider(5), rider(2), rider(1, { headSha: 'new' })] }, [2, 5, 1]],
    ['its first one is suspect', { riders: [rider(1), rider(2, { suspect: 'unit' })] }, [1, 2]],
    ['one was overtaken too often', { riders: [rider(7, { passedOver: 5 }), rider(1), rider(2)] }, [2, 1, 7]],
    ['one repairs the base branch', { riders: [rider(1), rider(2), rider(7, { first: true })] }, [7, 2, 1]],
  ])('holds as far as it can when %s', (_what, more, expected) => {
    expect(order({ ...offered, ...more })).toEqual(expected)
  })
})
