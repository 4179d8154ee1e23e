import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Answer, createRateBudget } from './rate-budget.ts'

const START = 1_000_000
const HOUR = 3_600_000

function world(share = 0.5, random = () => 0) {
  const clock = { now: START }
  const budget = createRateBudget({ service: 'GitHub', share, now: () => clock.now, random })
  const answer = (more: Partial<Answer> = {}) =>
    budget.note({ resource: 'core', status: 200, window: null, retryAfterMs: null, limited: false, ...more })
  return { clock, budget, answer, until: (loop = true) => budget.blocked('core', loop)?.until ?? null }
}

describe('the share of the rate limit', () => {
  const window = { limit: 10, remaining: 9, resetAt: START + HOUR }

  it('is not exceeded by the loop; a person may still ask', () => {
    const { answer, until, clock } = world(0.5)
    for (let n = 0; n < 4; n += 1) answer({ window })
    expect(until()).toBeNull()
    answer({ window })
    expect(until()).toBe(START + HOUR)
    expect(until(false)).toBeNull()
    clock.now = START + HOUR
    expect(until()).toBeNull()
  })

  it('counts what a query cost, and nothing for an answer that had not changed', () => {
    const { answer, until } = world(0.5)
    for (let n = 0; n < 50; n += 1) answer({ window, cost: 0 })
    expect(until()).toBeNull()
    answer({ window, cost: 5 })
    expect(until()).not.toBeNull()
  })

  it('begins anew with the next window, and counts each resource apart', () => {
    const { answer, until, budget, clock } = world(0.5)
    answer({ window, cost: 5 })
    expect(budget.blocked('graphql', true)).toBeNull()
    clock.now += HOUR
    answer({ window: { ...window, resetAt: START + 2 * HOUR } })
    expect(until()).toBeNull()
  })

  it('waits for everybody else when nothing remains', () => {
    const { answer, until } = world(1)
    answer({ window: { ...window, remaining: 0 } })
    expect(until()).toBe(START + HOUR)
  })
})

describe('a limit', () => {
  it('keeps everybody away for as long as it says', () => {
    const { answer, until } = world()
    answer({ status: 429, limited: true, retryAfterMs: 30_000 })
    expect(until()).toBe(START + 30_000)
    expect(until(false)).toBe(START + 30_000)
  })

  it('ends with the window when nothing remains', () => {
    const { answer, until } = world()
    const window = { limit: 10, remaining: 0, resetAt: START + 90_000 }
    answer({ status: 403, limited: true, window })
    expect(until(false)).toBe(START + 90_000)
  })

  it('is a minute without a time, and longer each time', () => {
    const { answer, until } = world()
    answer({ status: 403, limited: true })
    expect(until()).toBe(START + 60_000)
    answer({ status: 403, limited: true })
    expect(until()).toBe(START + 120_000)
    answer()
    answer({ status: 403, limited: true })
    expect(until()).toBe(START + 60_000)
  })

  it('never lasts longer than an hour and a quarter, whatever the service says', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1e15 }), fc.double({ min: 0, max: 1, noNaN: true }), (after, random) => {
        const { answer, until } = world(0.5, () => random)
        answer({ status: 429, limited: true, retryAfterMs: after })
        expect(until() ?? START).toBeLessThanOrEqual(START + 1.25 * HOUR)
        expect(until() ?? START).toBeGreaterThanOrEqual(START + Math.min(after, HOUR))
      }),
    )
  })
})

describe('a service in trouble', () => {
  it('is queried less and less by the loop, at least every two minutes, and a person may try immediately', () => {
    const { answer, until, budget } = world(0.5, () => 1)
    const waits = Array.from({ length: 10 }, () => {
      answer({ status: 502 })
      return until()! - START
    })
    expect(waits.slice(0, 4)).toEqual([1000, 2000, 4000, 8000])
    expect(Math.max(...waits)).toBe(120_000)
    expect(until(false)).toBeNull()
    budget.noteTrouble('no answer')
    expect(until()).toBe(START + 120_000)
  })

  it('is trusted again after one good answer', () => {
    const { answer, until, clock } = world(0.5, () => 1)
    answer({ status: 500 })
    clock.now += 1000
    expect(until()).toBeNull()
    answer()
    answer({ status: 500 })
    expect(until()).toBe(clock.now + 1000)
  })

  it('is not met by all clients in the same moment', () => {
    const { answer, until } = world(0.5, () => 0)
    answer({ status: 500 })
    expect(until()).toBe(START + 500)
  })
})
