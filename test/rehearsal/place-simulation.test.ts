// Sessions on machines that fail, in virtual time, with the decisions of real lines and hosts. `npm run torture -- machines` has
// ten thousand of them.
import { describe, expect, it } from 'vitest'
import { decideLine } from '../../src/core/place/line/decide-line.ts'
import type { LineEnd, LineStep } from '../../src/core/place/line/line-state.ts'
import type { Decide } from './places/home-session.ts'
import { type Outcome, simulate } from './places/simulate.ts'

const SMALL = { sessions: 60, machines: 8, minutes: 45 }

function sum({ lost, doubled, falseStatus }: Outcome) {
  return { lost: lost.slice(0, 3), doubled: doubled.slice(0, 3), falseStatus: falseStatus.slice(0, 3) }
}

/** Without one of its rules. */
const BROKEN_RULES: Record<string, { decide: Decide; kind: 'lost' | 'falseStatus' }> = {
  'an end is recorded after the work is home': {
    kind: 'lost',
    decide: (line, memory, event, now) => {
      const step = decideLine(line, memory, event, now)
      return line.phase === 'following' && step.line.phase === 'ending' ? recordNow(step) : step
    },
  },
  'the end waits for a save that began after it': {
    kind: 'lost',
    decide: (line, memory, event, now) =>
      line.phase === 'ending' && event.type === 'saved'
        ? decideLine(line, memory, { ...event, save: line.saves }, now)
        : decideLine(line, memory, event, now),
  },
  'a place that does not answer is not gone': {
    kind: 'falseStatus',
    decide: (line, memory, event, now) =>
      event.type === 'probed' && event.place.state === 'unknown'
        ? decideLine(line, memory, { ...event, place: { ...event.place, state: 'gone' } }, now)
        : decideLine(line, memory, event, now),
  },
  'work comes home at the end of a turn': {
    kind: 'lost',
    decide: (line, memory, event, now) => {
      const step = decideLine(line, memory, event, now)
      return event.type === 'reading' ? { ...step, line, acts: [] } : step
    },
  },
}

function recordNow({ line, keep }: LineStep): LineStep {
  const end = line.end as LineEnd
  return { line: { ...line, phase: 'recording' }, keep, acts: [{ act: 'record-end', end }] }
}

describe('sessions on machines that are cut off, rebooted, lost and full', () => {
  it.each([1, 2])('lose nothing, do nothing twice, and no status is false (seed %i)', (seed) => {
    const outcome = simulate({ ...SMALL, seed })
    expect(sum(outcome)).toEqual({ lost: [], doubled: [], falseStatus: [] })
    for (const fault of ['partitions', 'machines lost', 'machines rebooted', 'full disks there', 'hosts killed'])
      expect({ fault, happened: (outcome.counts[fault] ?? 0) > 0 }).toEqual({ fault, happened: true })
  })

  it.each(Object.entries(BROKEN_RULES))('notice it when this rule is broken: %s', (_, { decide, kind }) => {
    expect(simulate({ ...SMALL, seed: 1, decide })[kind]).not.toEqual([])
  })
})
