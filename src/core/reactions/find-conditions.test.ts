import { describe, expect, it } from 'vitest'
import { ANY_FORGE } from '../prompt/hand-in.ts'
import { type ConditionFacts, findConditions } from './find-conditions.ts'

const FACTS: ConditionFacts = {
  sessionId: 'app-1',
  status: 'needs_input',
  launch: 2,
  activity: null,
  pr: null,
  question: null,
  sharedFailures: [],
  handIn: ANY_FORGE,
  baseBranch: 'main',
  collisions: null,
  told: {},
  heard: {},
  now: 1_000,
}

function fingerprint(facts: Partial<ConditionFacts>): string | undefined {
  return findConditions({ ...FACTS, ...facts }).conditions[0]?.fingerprint
}

describe.each([
  ['needs_input', 'agent-needs-input', 'waiting_input'],
  ['stuck', 'agent-stuck', 'idle'],
] as const)('a session that is %s', (status, key, state) => {
  it('is the same condition as long as its activity cannot be read, whatever the time', () => {
    expect(fingerprint({ status, now: 1_000 })).toBe(fingerprint({ status, now: 31_000 }))
  })

  it('is what was reported already when its activity cannot be read any more', () => {
    const read = fingerprint({ status, activity: { state, at: 500 } })!
    expect(fingerprint({ status, told: { [key]: read }, now: 90_000 })).toBe(read)
  })

  it('is another one after another start, and when it was active in between', () => {
    const told = { [key]: fingerprint({ status })! }
    expect(fingerprint({ status, told, launch: 3 })).not.toBe(told[key])
    expect(fingerprint({ status, told, activity: { state, at: 700 } })).not.toBe(told[key])
  })
})
