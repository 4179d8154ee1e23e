import { describe, expect, it } from 'vitest'
import { activityFromAge, type LastEventKind } from './age-activity.ts'

const threshold = 300_000

describe('what an agent does, from its last event and its age', () => {
  it.each<[LastEventKind, number, string]>([
    ['working', 0, 'active'],
    ['working', threshold - 1, 'active'],
    ['working', threshold, 'idle'],
    ['finished', 0, 'ready'],
    ['finished', threshold - 1, 'ready'],
    ['finished', threshold, 'idle'],
    ['waiting', 0, 'waiting_input'],
    ['waiting', 10 * threshold, 'waiting_input'],
    ['failed', 0, 'blocked'],
    ['failed', 10 * threshold, 'blocked'],
    ['touched', 0, 'active'],
    ['touched', 29_999, 'active'],
    ['touched', 30_000, 'ready'],
    ['touched', threshold, 'idle'],
    // A clock that went back gives no age.
    ['finished', -60_000, 'ready'],
  ])('S0.44 S0.45 S0.46 S0.47 S0.48 %s, %d ms ago, is %s', (kind, age, expected) => {
    const now = new Date('2026-11-15T12:00:00Z')
    const at = new Date(now.getTime() - age)
    expect(activityFromAge({ kind, at, now, readyThresholdMs: threshold })).toBe(expected)
  })

  it('is idle immediately with a threshold of 0', () => {
    const now = new Date()
    for (const kind of ['working', 'finished', 'touched'] as const) {
      expect(activityFromAge({ kind, at: now, now, readyThresholdMs: 0 })).toBe('idle')
    }
  })
})
