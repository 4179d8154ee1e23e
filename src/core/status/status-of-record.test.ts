import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { PullFacts } from '../../contract/pull.ts'
import { type RecordChange, readRecord, writeRecord } from '../../contract/record.ts'
import { ACTIVITY_STATES, SESSION_STATUSES, type SessionStatus, TERMINAL_STATUSES } from '../../contract/status.ts'
import { deriveStatus, factsOfStatus, type StatusFacts } from './derive-status.ts'
import { recordedPrFacts } from './recorded-facts.ts'
import { changeRecord, STARTED, statusOfRecord } from './status-of-record.ts'

const PR = 'https://example.invalid/o/r/pull/7'
const facts = (pr: Partial<PullFacts> = {}) => ({
  url: PR,
  state: 'open' as const,
  ci: 'passing' as const,
  review: 'none' as const,
  mergeable: null,
  ...pr,
})
const word = (change: RecordChange) => statusOfRecord(readRecord(writeRecord(change) as Record<string, string>))

describe('the status that follows from the facts of a record', () => {
  it.each<[SessionStatus, RecordChange]>([
    ['spawning', {}],
    ['spawning', { operation: 'spawn' }],
    ['spawning', { operation: 'restore', endedAs: 'killed' }],
    ['working', { launched: 'yes' }],
    ['pr_open', { launched: 'yes', pr: PR }],
    ['review_pending', { launched: 'yes', pr: PR, prFacts: facts({ review: 'pending' }) }],
    ['ci_failed', { launched: 'yes', pr: PR, prFacts: facts({ ci: 'failing' }) }],
    ['pr_open', { launched: 'yes', pr: 'https://example.invalid/o/r/pull/8', prFacts: facts({ ci: 'failing' }) }],
    ['working', { launched: 'yes', pr: PR, prFacts: facts({ state: 'closed' }) }],
    ['merged', { launched: 'yes', pr: PR, prFacts: facts({ state: 'merged' }), endedAs: 'killed' }],
    ['needs_input', { launched: 'yes', pr: PR, alarm: 'needs_input' }],
    ['stuck', { launched: 'yes', alarm: 'stuck' }],
    ['killed', { launched: 'yes', alarm: 'stuck', endedAs: 'killed' }],
    ['cleanup', { launched: 'yes', operation: 'kill', operationData: { keepWorkspace: false } }],
    ['working', { launched: 'yes', operation: 'kill', operationData: { keepWorkspace: true } }],
    ['merged', { launched: 'yes', operation: 'cleanup', endedAs: 'merged' }],
  ])('is %s for %j', (expected, change) => {
    expect(word(change)).toBe(expected)
  })

  it.each(SESSION_STATUSES.filter((one) => TERMINAL_STATUSES.has(one) || ['working', 'stuck'].includes(one)))(
    '%s leads to facts that lead back to it',
    (status) => {
      expect(word(factsOfStatus(status))).toBe(status)
    },
  )
})

describe('a record of an older version', () => {
  it('keeps its word while no fact changes', () => {
    const old = { project: 'app', status: 'mergeable' }
    expect(changeRecord(old, { summary: 'x' })).toEqual({ ...old, summary: 'x' })
  })

  it.each<[string, RecordChange, string]>([
    ['killed', { pr: PR }, 'killed'],
    ['killed', STARTED, 'working'],
    ['needs_input', { branch: 'b' }, 'needs_input'],
    ['needs_input', { alarm: null }, 'working'],
    ['working', { pr: PR }, 'pr_open'],
    ['working', { operation: 'cleanup' }, 'cleanup'],
    ['merged', { operation: 'cleanup' }, 'merged'],
  ])('that says %s says after %j: %s', (status, change, expected) => {
    expect(changeRecord({ project: 'app', status }, change).status).toBe(expected)
  })
})

const prFacts = fc.record({
  url: fc.constantFrom(PR, 'https://example.invalid/o/r/pull/8'),
  state: fc.constantFrom('open' as const, 'merged' as const, 'closed' as const),
  ci: fc.constantFrom('passing' as const, 'failing' as const, 'pending' as const, 'none' as const),
  review: fc.constantFrom('approved' as const, 'changes_requested' as const, 'pending' as const, 'none' as const),
  mergeable: fc.constantFrom(true, false, null),
})
const orNull = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: null })
const change: fc.Arbitrary<RecordChange> = fc.record(
  {
    launched: orNull(fc.constant('yes' as const)),
    endedAs: orNull(fc.constantFrom(...TERMINAL_STATUSES)),
    alarm: orNull(fc.constantFrom('needs_input' as const, 'stuck' as const)),
    operation: orNull(fc.constantFrom('spawn' as const, 'kill' as const, 'restore' as const, 'cleanup' as const)),
    operationData: orNull(fc.constantFrom({ keepWorkspace: true }, { keepWorkspace: false })),
    pr: orNull(fc.constant(PR)),
    prFacts: orNull(prFacts),
    summary: fc.string(),
  },
  { requiredKeys: [] },
)

describe('whatever is written', () => {
  it('the line always equals the derivation from the facts beside it', () => {
    fc.assert(
      fc.property(fc.array(change, { minLength: 1 }), (changes) => {
        let pairs = changeRecord({}, { project: 'app', operation: 'spawn' })
        for (const one of changes) {
          pairs = changeRecord(pairs, one)
          expect(pairs.status).toBe(statusOfRecord(readRecord(pairs)))
        }
      }),
    )
  })

  it('the facts that the loop writes for what it has derived lead to that very word', () => {
    const observed = fc.record({
      runtime: fc.constantFrom<StatusFacts['runtime']>(
        null,
        { state: 'alive' },
        { state: 'unknown' },
        { state: 'dead', exitCode: 0 },
        { state: 'dead', exitCode: null },
      ),
      activity: orNull(fc.record({ state: fc.constantFrom(...ACTIVITY_STATES), at: orNull(fc.constant(0)) })),
      isOrchestrator: fc.boolean(),
      snapshot: orNull(prFacts),
    })
    const stored = fc.tuple(fc.constantFrom(...SESSION_STATUSES), change)
    fc.assert(
      fc.property(stored, observed, ([status, { operation: _, ...existing }], { snapshot, ...seen }) => {
        const pairs = { ...changeRecord({ project: 'app' }, existing), status }
        const record = readRecord(pairs)
        const derived = deriveStatus(
          {
            ...seen,
            stored: status,
            operation: null,
            hasPr: record.pr !== undefined || snapshot !== null,
            pr: snapshot ?? recordedPrFacts(record),
            turnSince: null,
            readyThresholdMs: 1_000,
          },
          10_000,
        )
        const found = snapshot ? { pr: snapshot.url, prFacts: snapshot } : {}
        expect(changeRecord(pairs, { ...factsOfStatus(derived), ...found }).status).toBe(derived)
      }),
      { numRuns: 2_000 },
    )
  })
})
