import { describe, expect, it } from 'vitest'
import { type Below, type Car, decideCars, decideRiders, type TreeResult } from './decide-train.ts'
import { keptOrder, MOST_PASSED_OVER, offeredOrder, orderCars } from './order-cars.ts'
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
    const facts = {
      labelsOf: (pull: number) => (pull === 2 ? ['urgent'] : []),
      collide: () => false,
      offered: [1],
      tested: [1],
      below: () => null,
    }
    const order = orderCars(riders, { order: 'safe', priority: ['urgent'], batch: 8 }, facts)
    expect(order.map(({ pull }) => pull)[0]).toBe(9)
  })

  it.each<[string, Partial<Rider>, number[], number[]]>([
    ['comes next, behind cars that are green', { front: 'next' }, [1, 2], [1, 2, 4, 3]],
    ['comes before them only when a person says so', { front: 'now' }, [1, 2], [4, 1, 2, 3]],
    ['keeps its place when it is green itself', { front: 'next' }, [1, 4], [1, 4, 3, 2]],
    [
      'gets no precedence while a failed check of it has its second run',
      { front: 'now', suspect: 'unit' },
      [],
      [3, 1, 2, 4],
    ],
  ])('one that a person lets go first %s', (_what, more, offered, expected) => {
    const riders = [rider(1), rider(2), rider(3, { passedOver: MOST_PASSED_OVER }), rider(4, more)]
    const facts = { labelsOf: () => [], collide: () => false, offered, tested: offered, below: () => null }
    const order = orderCars(riders, { order: 'fifo', priority: [], batch: 8 }, facts).map(({ pull }) => pull)
    expect(order).toEqual(expected)
    expect(orderCars([...riders, repair], { order: 'fifo', priority: [], batch: 8 }, facts)[0]).toBe(repair)
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
    orderCars(state.riders, rule, {
      labelsOf: () => [],
      collide,
      offered: offeredOrder(state),
      tested: offeredOrder(state),
      below: () => null,
    }).map(({ pull }) => pull)
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

describe('green cars', () => {
  const car = (pull: number) => ({ pull, headSha: `h${pull}`, tree: `t${pull}` })
  const built = [car(2), car(1), car(3)]
  const kept = (state: Partial<TrainState>, ...green: number[]) =>
    keptOrder({ ...EMPTY_TRAIN, ...state }, built, (tree) => green.includes(Number(tree.slice(1))))
  const riders = [rider(1), rider(2), rider(3)]

  it.each<[string, Partial<TrainState>, number[], number[]]>([
    ['keep the place that they were tested at', { riders }, [1, 2], [2, 1]],
    ['keep nothing behind one that is not', { riders }, [1, 3], []],
    [
      'keep it when the first has landed',
      { riders: riders.slice(0, 1), landed: [{ ...car(2), commit: 'c', at: '' }] },
      [1, 2],
      [1],
    ],
    ['lose it when one ahead has left', { riders: [rider(1), rider(3)] }, [1, 2, 3], []],
    ['lose it with another head', { riders: [rider(1), rider(2, { headSha: 'new' })] }, [1, 2], []],
    ['come behind what was offered', { riders, offers: [{ commit: 'x', cars: [car(1)] }] }, [1, 2], [1, 2]],
  ])('%s', (_what, state, green, expected) => {
    expect(kept(state, ...green)).toEqual(expected)
  })
})

describe('cars that are being tested', () => {
  const order = (tested: number[], ...riders: Rider[]) =>
    orderCars(
      riders,
      { order: 'safe', priority: ['urgent'], batch: 4 },
      {
        labelsOf: (pull) => (pull === 9 ? ['urgent'] : []),
        collide: (a, b) => a === 2 || b === 2,
        offered: [],
        tested,
        below: () => null,
      },
    ).map(({ pull }) => pull)

  it.each<[string, number[], Rider[], number[]]>([
    ['keep their place when others collide with them by now', [2], [rider(1), rider(2), rider(3)], [2, 1, 3]],
    [
      'are not undone for one that was overtaken too often',
      [3, 1],
      [rider(1, { passedOver: MOST_PASSED_OVER }), rider(3), rider(4), rider(5, { passedOver: MOST_PASSED_OVER })],
      [3, 1, 5, 4],
    ],
    ['come behind what is urgent', [1, 3], [rider(1), rider(3), rider(9)], [9, 1, 3]],
    ['stay where they are when they are urgent themselves', [1, 9], [rider(1), rider(3), rider(9)], [1, 9, 3]],
    ['come behind what a person lets go first', [1], [rider(1), rider(4, { front: 'next' })], [4, 1]],
  ])('%s', (_what, tested, riders, expected) => {
    expect(order(tested, ...riders)).toEqual(expected)
  })
})

describe('a stack', () => {
  const facts = (number: number, below?: Below) => {
    return { number, headSha: `h${number}`, ready: true, obstacle: null, below }
  }
  const on = (pull: number, more: Partial<Below> = {}): Below => ({ pull, isLanded: false, isHeld: true, ...more })
  const decide = (riders: Rider[], ...pulls: Parameters<typeof decideRiders>[1][number][]) =>
    decideRiders({ ...EMPTY_TRAIN, riders }, pulls, []).map((one) =>
      'pull' in one ? [one.type, one.pull] : [one.type],
    )

  it('boards from below, one after the other', () => {
    expect(decide([], facts(1), facts(2, on(1)))).toEqual([['boarded', 1]])
    expect(decide([rider(1)], facts(1), facts(2, on(1)), facts(3, on(2)))).toEqual([['boarded', 2]])
  })

  it('leaves from below when one of it leaves, and nobody else does', () => {
    const riders = [rider(2), rider(3), rider(4)]
    expect(decide(riders, facts(2, on(1)), facts(3, on(2)), facts(4))).toEqual([['left', 2]])
    expect(decide([rider(3), rider(4)], facts(3, on(2)), facts(4))).toEqual([['left', 3]])
  })

  it('leaves what no longer holds the one below as it is, and boards behind one that has landed', () => {
    expect(decide([rider(1), rider(2)], facts(1), facts(2, on(1, { isHeld: false })))).toEqual([['left', 2]])
    expect(decide([], facts(2, on(1, { isLanded: true })))).toEqual([['boarded', 2]])
    expect(decide([], facts(2, on(1, { isLanded: true, isHeld: false })))).toEqual([])
    expect(decide([rider(2)], facts(2, on(1, { isLanded: true })))).toEqual([])
  })

  it('is ordered from below, whatever speaks for another order', () => {
    const below = (pull: number) => ({ 1: 2, 2: 3, 5: 4 })[pull] ?? null
    const rule = { order: 'fifo' as const, priority: ['urgent'], batch: 8 }
    const labelsOf = (pull: number) => (pull === 1 ? ['urgent'] : [])
    const riders = [rider(1), rider(2), rider(3), rider(4, { suspect: 'unit' }), rider(5)]
    const order = orderCars(riders, rule, { labelsOf, collide: () => false, offered: [], tested: [], below })
    expect(order.map(({ pull }) => pull)).toEqual([3, 2, 1, 4, 5])
  })
})
