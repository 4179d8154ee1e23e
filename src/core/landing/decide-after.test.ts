import { describe, expect, it } from 'vitest'
import {
  type AfterState,
  type AfterStep,
  afterEnd,
  decideAfter,
  MOST_ATTEMPTS,
  type StepRun,
  withLandings,
} from './decide-after.ts'

const AT = '2026-01-01T00:00:00.000Z'
const NOW = Date.parse(AT)
const [DEPLOY, NOTIFY]: [AfterStep, AfterStep] = [
  { name: 'deploy', run: 'x' },
  { name: 'notify', run: 'y' },
]
const landed = (steps: Record<string, StepRun>, commit = 'a'): AfterState => ({
  since: '2025',
  landings: [{ commit, pull: 1, at: AT, steps }],
})
const ran = (state: StepRun['state'], attempts = 1): StepRun => ({ state, attempts, at: AT })

describe('steps after a landing', () => {
  it('run in order, each once', () => {
    expect(decideAfter(landed({}), [DEPLOY, NOTIFY], NOW)).toMatchObject({ act: 'run', step: DEPLOY, attempt: 1 })
    expect(decideAfter(landed({ deploy: ran('done') }), [DEPLOY, NOTIFY], NOW)).toMatchObject({
      act: 'run',
      step: NOTIFY,
    })
    const all = { deploy: ran('done'), notify: ran('done') }
    expect(decideAfter(landed(all), [DEPLOY, NOTIFY], NOW)).toEqual({ act: 'none' })
  })

  it('that were killed midway are for a person, unless they may be repeated', () => {
    expect(decideAfter(landed({ deploy: ran('running') }), [DEPLOY], NOW)).toMatchObject({ act: 'ask' })
    const again = { ...DEPLOY, retry: true }
    expect(decideAfter(landed({ deploy: ran('running') }), [again], NOW)).toMatchObject({ act: 'run', attempt: 2 })
    expect(decideAfter(landed({ deploy: ran('running', MOST_ATTEMPTS) }), [again], NOW)).toMatchObject({ act: 'ask' })
    for (const state of ['interrupted', 'gave-up'] as const)
      expect(decideAfter(landed({ deploy: ran(state) }), [again, NOTIFY], NOW)).toEqual({ act: 'none' })
  })

  it('that failed are tried again, later each time, and not forever', () => {
    const failed = landed({ deploy: ran('failed') })
    expect(decideAfter(failed, [DEPLOY], NOW + 59_000)).toEqual({ act: 'none' })
    expect(decideAfter(failed, [DEPLOY], NOW + 60_000)).toMatchObject({ act: 'run', attempt: 2 })
    expect(decideAfter(landed({ deploy: ran('failed', 2) }), [DEPLOY], NOW + 239_000)).toEqual({ act: 'none' })
    const end = { ok: false, why: 'no' }
    expect([afterEnd(end, 1, AT).state, afterEnd(end, MOST_ATTEMPTS, AT).state]).toEqual(['failed', 'gave-up'])
  })

  it('wait for nobody else: another landing has its turn', () => {
    const state = { ...landed({ deploy: ran('gave-up') }), since: '2025' }
    const both = withLandings(state, [{ commit: 'b', pull: 2, at: AT }])
    expect(decideAfter(both, [DEPLOY], NOW)).toMatchObject({ act: 'run', commit: 'b' })
  })
})

describe('a landing', () => {
  it('counts once, and not before its time', () => {
    const state = landed({})
    expect(withLandings(state, [{ commit: 'a', pull: 1, at: AT }])).toBe(state)
    expect(withLandings(state, [{ commit: 'old', pull: 2, at: '2024' }])).toBe(state)
  })

  it('that was forgotten is not taken for new', () => {
    const many = Array.from({ length: 150 }, (_, n) => ({
      commit: `c${n}`,
      pull: n,
      at: `2026-01-01T00:${String(n).padStart(3, '0')}`,
    }))
    const state = withLandings(landed({}), many)
    expect(state.landings).toHaveLength(100)
    expect(withLandings(state, many)).toBe(state)
  })
})
