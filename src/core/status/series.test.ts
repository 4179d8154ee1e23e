import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { SessionEvent } from '../../contract/events.ts'
import { SESSION_STATUSES } from '../../contract/status.ts'
import { countSeries, fittingHours, type SeriesEvent, toSeriesEvents, waitedPerDay } from './series.ts'

const MINUTE = 60_000
const T0 = Date.parse('2026-11-15T10:00:00Z')

function changed(seq: number, minute: number, to: string): SessionEvent {
  return { seq, at: at(minute), sessionId: 's-1', type: 'status.changed', from: null, to, evidence: [] } as SessionEvent
}

function used(seq: number, minute: number, tokens: number, costUsd: number | null): SessionEvent {
  return { seq, at: at(minute), sessionId: 's-1', type: 'usage', tokens, costUsd }
}

function at(minute: number): string {
  return new Date(T0 + minute * MINUTE).toISOString()
}

function count(histories: SessionEvent[][]) {
  return countSeries({ histories: histories.map(toSeriesEvents), from: T0, to: T0 + 30 * MINUTE, stepMs: 10 * MINUTE })
}

describe('numbers over time', () => {
  it('has a point a step, the last one now', () => {
    expect(count([]).times).toEqual([at(0), at(10), at(20), at(30)])
  })

  it('counts a session in the status that it had at each point', () => {
    const { byStatus } = count([[changed(1, 5, 'working'), changed(2, 15, 'pr_open')]])
    expect(byStatus).toEqual({ working: [0, 1, 0, 0], pr_open: [0, 0, 1, 1] })
  })

  it('counts an end once, in the step in which it came', () => {
    expect(count([[changed(1, 1, 'working'), changed(2, 12, 'merged')]]).byStatus).toEqual({
      working: [0, 1, 0, 0],
      merged: [0, 0, 1, 0],
    })
  })

  it('stops counting what was archived', () => {
    const archived = { seq: 2, at: at(12), sessionId: 's-1', type: 'session.archived', file: 'f' } as SessionEvent
    expect(count([[changed(1, 1, 'working'), archived]]).byStatus).toEqual({ working: [0, 1, 0, 0] })
  })

  it('adds up how long a person was waited for, within each step', () => {
    const { waitingMinutes } = count([
      [changed(1, 5, 'needs_input'), changed(2, 25, 'working')],
      [changed(1, 9, 'review_pending')],
    ])
    expect(waitingMinutes).toEqual([0, 6, 20, 15])
  })

  it('sums the last known usage of every session', () => {
    const { tokens, costUsd } = count([[used(1, 5, 100, 0.5), used(2, 15, 300, 1)], [used(1, 25, 10, null)]])
    expect(tokens).toEqual([0, 100, 300, 310])
    expect(costUsd).toEqual([0, 0.5, 1, 1])
  })

  it.each([
    [[], 1],
    [[changed(1, -30, 'working')], 1],
    [[changed(1, -90, 'working')], 6],
    [[changed(1, -60 * 24 * 400, 'working')], 168],
  ])('spans everything with as few hours as do: %#', (events, hours) => {
    expect(fittingHours([toSeriesEvents(events)], T0)).toBe(hours)
  })

  it('never counts more sessions than there are, nor more waiting than time', () => {
    const event = fc.record({ minute: fc.integer({ min: -60, max: 60 }), to: fc.constantFrom(...SESSION_STATUSES) })
    fc.assert(
      fc.property(fc.array(fc.array(event, { maxLength: 20 }), { maxLength: 8 }), (lives) => {
        const histories = lives.map((life) =>
          [...life].sort((a, b) => a.minute - b.minute).map(({ minute, to }, index) => changed(index + 1, minute, to)),
        )
        const { byStatus, waitingMinutes } = count(histories)
        const live = Object.entries(byStatus).filter(([status]) => status === 'working' || status === 'needs_input')
        for (let point = 0; point < 4; point++) {
          const sum = live.reduce((total, [, row]) => total + row![point]!, 0)
          expect(sum).toBeLessThanOrEqual(lives.length)
          expect(waitingMinutes[point]).toBeLessThanOrEqual(10 * lives.length + 1e-6)
        }
      }),
    )
  })
})

describe('minutes a person was waited for, per day', () => {
  it('counts each day what falls into it, until now, and nothing that needs nobody', () => {
    const day = 24 * 60 * 60_000
    const events: SeriesEvent[] = [
      { at: day - 30 * 60_000, type: 'status.changed', to: 'needs_input' },
      { at: day + 15 * 60_000, type: 'status.changed', to: 'working' },
      { at: 2 * day + 60_000, type: 'status.changed', to: 'review_pending' },
    ]
    expect(waitedPerDay([events, events], [0, day, 2 * day], 2 * day + 11 * 60_000)).toEqual([60, 30, 20])
  })
})
