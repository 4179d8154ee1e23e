import { describe, expect, it } from 'vitest'
import { decideSchedule, handledUntil, type ScheduleFacts } from './decide-schedule.ts'

const NOW = new Date('2026-03-02T03:00:30Z')
const at = (text: string) => new Date(`2026-03-0${text}Z`)
const facts = (more: Partial<ScheduleFacts> = {}): ScheduleFacts => ({
  state: { since: '2026-03-01T00:00:00Z', runs: [] },
  due: [at('2T03:00:00')],
  running: [],
  today: 0,
  maxPerDay: 24,
  now: NOW,
  ...more,
})

describe('whether a schedule starts its work', () => {
  it.each<[string, Partial<ScheduleFacts>, unknown]>([
    ['it is due', {}, { act: 'start', run: { due: '2026-03-02T03:00:00.000Z', state: 'starting' } }],
    ['it is not due', { due: [] }, { act: 'none' }],
    ['it is paused', { state: { since: '2026-03-01T00:00:00Z', paused: true, runs: [] } }, { act: 'none' }],
    [
      'the machine slept over two of three times: one start, and the others are counted',
      { due: [at('2T01:00:00'), at('2T02:00:00'), at('2T03:00:00')] },
      { act: 'start', run: { missed: 2 } },
    ],
    ['it slept too long', { now: at('3T03:00:00') }, { act: 'skip', run: { why: 'nobody was there when it was due' } }],
    ['its last one is still running', { running: ['app-3'] }, { act: 'skip', run: { why: 'app-3 has not ended yet' } }],
    ['it was started often enough', { today: 2, maxPerDay: 2 }, { act: 'skip' }],
    [
      'an earlier loop died while it started it: that run is settled before anything else',
      { state: { since: '2026-03-01T00:00:00Z', runs: [{ due: '2026-03-01T03:00:00.000Z', state: 'starting' }] } },
      { act: 'resume', run: { due: '2026-03-01T03:00:00.000Z' } },
    ],
  ])('%s', (_, more, expected) => {
    expect(decideSchedule(facts(more))).toMatchObject(expected as object)
  })

  it('looks only at times after those that it has handled', () => {
    const runs = [{ due: '2026-03-02T03:00:00.000Z', state: 'skipped' as const }]
    expect(handledUntil({ since: '2026-03-01T00:00:00Z', runs })).toEqual(at('2T03:00:00'))
    expect(handledUntil({ since: '2026-03-03T00:00:00Z', runs })).toEqual(at('3T00:00:00'))
  })
})
