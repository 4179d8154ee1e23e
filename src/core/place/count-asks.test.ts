import { describe, expect, it } from 'vitest'
import { type AskCount, countAsk } from './count-asks.ts'

const NONE: AskCount = { since: 0, asks: 0, last: null }

describe('commands that a session in a place asks of home', () => {
  it('are written down each, but a read that is repeated only once in ten minutes', () => {
    const first = countAsk(NONE, 'gh pr checks', 1_000)
    expect(first.outcome).toBe('counted')
    const second = countAsk(first.count, 'gh pr checks', 30_000)
    expect(second.outcome).toBe('repeated')
    expect(countAsk(second.count, 'gh pr view', 31_000).outcome).toBe('counted')
    expect(countAsk(second.count, 'gh pr checks', 700_000).outcome).toBe('counted')
    expect(countAsk(second.count, null, 31_000).outcome).toBe('counted')
  })

  it('are refused when there are too many in a minute, which is written down once', () => {
    let count = NONE
    const outcomes: string[] = []
    for (let at = 0; at < 130; at += 1) {
      const counted = countAsk(count, null, 1_000 + at)
      count = counted.count
      outcomes.push(counted.outcome === 'too-many' ? `too-many ${counted.isFirst}` : counted.outcome)
    }
    expect(outcomes.slice(0, 120).every((one) => one === 'counted')).toBe(true)
    expect(outcomes.slice(120)).toEqual(['too-many true', ...Array(9).fill('too-many false')])
    expect(countAsk(count, null, 90_000).outcome).toBe('counted')
  })
})
