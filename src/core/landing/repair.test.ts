import { describe, expect, it } from 'vitest'
import { type Car, decideCars, type TreeResult } from './decide-train.ts'
import { MOST_PASSED_OVER, orderCars } from './order-cars.ts'
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
    const facts = { labelsOf: (pull: number) => (pull === 2 ? ['urgent'] : []), collide: () => false }
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
