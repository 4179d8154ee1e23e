import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { PullFacts } from '../../contract/pull.ts'
import { SESSION_STATUSES, type SessionStatus, TERMINAL_STATUSES } from '../../contract/status.ts'
import { deriveActivity, deriveStatus, nextChangeAt, type StatusFacts } from './derive-status.ts'

const NOW = Date.parse('2026-01-01T12:00:00Z')
const MINUTE = 60_000

function facts(changes: Partial<StatusFacts> = {}): StatusFacts {
  return {
    stored: 'working',
    operation: null,
    runtime: { state: 'alive' },
    activity: null,
    hasPr: false,
    isOrchestrator: false,
    pr: null,
    turnSince: null,
    readyThresholdMs: 5 * MINUTE,
    ...changes,
  }
}

const openPr = (changes: Partial<PullFacts> = {}): Partial<StatusFacts> => ({
  hasPr: true,
  pr: { url: 'u', state: 'open', ci: 'pending', review: 'none', mergeable: null, ...changes },
})

const acting = (state: 'active' | 'ready' | 'idle' | 'waiting_input' | 'blocked' | 'exited', ageMs = 0) => ({
  activity: { state, at: NOW - ageMs },
})

const rows: Array<[rule: string, facts: StatusFacts, expected: SessionStatus]> = [
  [
    'S0.11 is spawning while its spawn runs',
    facts({ stored: 'spawning', operation: { kind: 'spawn', ownerAlive: true } }),
    'spawning',
  ],
  [
    'S0.11 is spawning while its restore runs',
    facts({ stored: 'killed', operation: { kind: 'restore', ownerAlive: true } }),
    'spawning',
  ],
  [
    'S0.35 is errored when the command that spawned it died',
    facts({ stored: 'spawning', operation: { kind: 'spawn', ownerAlive: false } }),
    'errored',
  ],
  [
    'S0.34 is cleanup while it is being removed',
    facts({ operation: { kind: 'cleanup', ownerAlive: true } }),
    'cleanup',
  ],
  ['S0.34 is cleanup while a kill removes it', facts({ operation: { kind: 'kill', ownerAlive: false } }), 'cleanup'],
  [
    'S0.34 is what its agent is while a kill keeps its workspace',
    facts({ operation: { kind: 'kill', ownerAlive: true, data: { keepWorkspace: true } }, ...acting('active') }),
    'working',
  ],
  [
    'S0.34 is killed when a kill that keeps its workspace died after it ended the agent',
    facts({
      operation: { kind: 'kill', ownerAlive: false, data: { keepWorkspace: true } },
      runtime: { state: 'dead', exitCode: null },
    }),
    'killed',
  ],
  ['S0.12 becomes working once the agent runs', facts({ stored: 'spawning' }), 'working'],
  [
    'S0.12 stays spawning while nothing proves that it runs',
    facts({ stored: 'spawning', runtime: { state: 'unknown' } }),
    'spawning',
  ],
  ['S0.13 is working without a pull request', facts(acting('active')), 'working'],
  ['S0.14 is pr_open once the agent opened one', facts(openPr()), 'pr_open'],
  ['S0.15 is ci_failed when checks fail', facts(openPr({ ci: 'failing' })), 'ci_failed'],
  [
    'S0.16 is review_pending when CI passed, also where no rule asks for a review',
    facts(openPr({ ci: 'passing', review: 'none' })),
    'review_pending',
  ],
  [
    'is approved, not mergeable, once it left the train',
    facts(openPr({ ci: 'passing', review: 'approved', mergeable: true, left: 'it conflicts with main' })),
    'approved',
  ],
  [
    'is stuck when it left the train and its agent does nothing about it',
    facts({
      ...openPr({ ci: 'passing', review: 'approved', mergeable: true, left: 'it conflicts with main' }),
      ...acting('idle'),
    }),
    'stuck',
  ],
  ['is pr_open while it is a draft', facts(openPr({ ci: 'passing', review: 'none', isDraft: true })), 'pr_open'],
  [
    'S0.16 is review_pending when CI passed and review is awaited',
    facts(openPr({ ci: 'passing', review: 'pending' })),
    'review_pending',
  ],
  ['S0.17 is merged when the pull request is merged', facts(openPr({ state: 'merged' })), 'merged'],
  ['S0.20 goes back to pr_open when new checks run', facts({ stored: 'ci_failed', ...openPr() }), 'pr_open'],
  ['S0.21 S0.25 is approved while a check is still pending', facts(openPr({ review: 'approved' })), 'approved'],
  [
    'S0.22 is changes_requested when the reviewer says so',
    facts(openPr({ ci: 'passing', review: 'changes_requested' })),
    'changes_requested',
  ],
  [
    'S0.26 is mergeable when approval, CI and absence of conflicts hold',
    facts(openPr({ ci: 'passing', review: 'approved', mergeable: true })),
    'mergeable',
  ],
  [
    'S0.26 is not mergeable with conflicts',
    facts(openPr({ ci: 'passing', review: 'approved', mergeable: false })),
    'approved',
  ],
  [
    'S0.26 is not mergeable while the forge has not answered',
    facts(openPr({ ci: 'passing', review: 'approved', mergeable: null })),
    'approved',
  ],
  [
    'S0.29 is merged even though its runtime is gone',
    facts({ runtime: { state: 'dead', exitCode: 0 }, ...openPr({ state: 'merged' }) }),
    'merged',
  ],
  ['S0.31 is killed when the runtime is proven dead', facts({ runtime: { state: 'dead', exitCode: 1 } }), 'killed'],
  ['S0.31 keeps its status when the probe failed', facts({ runtime: { state: 'unknown' } }), 'working'],
  ['S0.31 keeps its status when nobody could ask', facts({ runtime: null }), 'working'],
  [
    'S0.32 is done after a successful end without a pull request',
    facts({ runtime: { state: 'dead', exitCode: 0 } }),
    'done',
  ],
  [
    'S0.32 is killed after a successful end with an open pull request',
    facts({ runtime: { state: 'dead', exitCode: 0 }, hasPr: true }),
    'killed',
  ],
  ['S0.49 is killed when the agent says that it exited', facts(acting('exited')), 'killed'],
  ['S0.36 is needs_input when the agent asks', facts(acting('waiting_input')), 'needs_input'],
  ['S0.36 is needs_input also with a pull request', facts({ ...openPr(), ...acting('waiting_input') }), 'needs_input'],
  ['S0.37 goes back to working after input', facts({ stored: 'needs_input', ...acting('active') }), 'working'],
  [
    'S0.37 goes back to pr_open after input when it has one',
    facts({ stored: 'needs_input', hasPr: true, ...acting('active') }),
    'pr_open',
  ],
  ['S0.37 stays needs_input without news', facts({ stored: 'needs_input' }), 'needs_input'],
  ['S0.38 S0.46 is stuck when an idle agent has the next step', facts(acting('idle', 6 * MINUTE)), 'stuck'],
  ['S0.38 is not stuck right after a finished turn', facts(acting('ready', MINUTE)), 'working'],
  [
    'S0.38 is stuck when CI failed and the agent idles',
    facts({ ...openPr({ ci: 'failing' }), ...acting('idle') }),
    'stuck',
  ],
  [
    'S0.38 is not stuck when it was waiting rightly and CI has just failed',
    facts({ stored: 'pr_open', ...openPr({ ci: 'failing' }), ...acting('idle', 60 * MINUTE) }),
    'ci_failed',
  ],
  [
    'S0.38 is not stuck right after a message',
    facts({ ...acting('idle', 60 * MINUTE), turnSince: NOW - MINUTE }),
    'working',
  ],
  [
    'S0.24 goes back to pr_open when new commits are pushed',
    facts({ stored: 'changes_requested', ...openPr() }),
    'pr_open',
  ],
  [
    'S0.39 is not stuck while review is awaited',
    facts({ ...openPr({ ci: 'passing', review: 'pending' }), ...acting('idle') }),
    'review_pending',
  ],
  ['S0.39 is not stuck while CI runs', facts({ ...openPr(), ...acting('idle') }), 'pr_open'],
  [
    'S0.39 is not stuck while merge is awaited',
    facts({ stored: 'mergeable', hasPr: true, ...acting('idle') }),
    'mergeable',
  ],
  [
    'S0.31 stays alive when its pull request is closed and its agent is running',
    facts({ stored: 'pr_open', ...openPr({ state: 'closed' }) }),
    'working',
  ],
  [
    'S0.31 comes back when an earlier version called it killed only because its pull request was closed',
    facts({ stored: 'killed', ...openPr({ state: 'closed' }) }),
    'working',
  ],
  [
    'S0.31 stays killed when nothing proves that its agent runs',
    facts({ stored: 'killed', runtime: { state: 'unknown' }, ...openPr({ state: 'closed' }) }),
    'killed',
  ],
  ['S0.14 is what its pull request says once that is open again', facts({ stored: 'working', ...openPr() }), 'pr_open'],
  [
    'S0.38 is not stuck while a person decides what follows a closed pull request',
    facts({ ...openPr({ state: 'closed' }), ...acting('idle', 60 * MINUTE) }),
    'working',
  ],
  [
    'S0.38 an orchestrator that waits for its person is not stuck',
    facts({ isOrchestrator: true, ...acting('idle', 60 * MINUTE) }),
    'working',
  ],
  [
    'S0.38 an orchestrator that an error stops is stuck like any other',
    facts({ isOrchestrator: true, ...acting('blocked', 6 * MINUTE) }),
    'stuck',
  ],
  [
    'S0.13 S0.14 is pr_open while all that is known of its pull request is that there is one',
    facts({ hasPr: true }),
    'pr_open',
  ],
  ['S0.39 is not stuck then, however long it idles', facts({ hasPr: true, ...acting('idle', 60 * MINUTE) }), 'pr_open'],
  ['S0.48 is stuck when an error lasts beyond the threshold', facts(acting('blocked', 6 * MINUTE)), 'stuck'],
  ['S0.48 is not yet stuck right after an error', facts(acting('blocked', MINUTE)), 'working'],
]

describe('deriveStatus', () => {
  it.each(rows)('%s', (_rule, given, expected) => {
    expect(deriveStatus(given, NOW)).toBe(expected)
  })

  it.each([...TERMINAL_STATUSES])('S2.47 keeps %s when the runtime is gone', (stored) => {
    expect(deriveStatus(facts({ stored, runtime: { state: 'dead', exitCode: 0 } }), NOW)).toBe(stored)
  })

  it.each(SESSION_STATUSES)('S0.31 never kills %s on an unknown probe', (stored) => {
    const derived = deriveStatus(facts({ stored, runtime: { state: 'unknown' } }), NOW)
    expect(derived === 'killed').toBe(stored === 'killed')
  })

  it('S0.43 lets activity change without the status', () => {
    expect(deriveStatus(facts(acting('active')), NOW)).toBe(deriveStatus(facts(acting('ready')), NOW))
  })
})

describe('deriveActivity', () => {
  it('S0.49 says exited when the runtime is dead, whatever the last record says', () => {
    expect(deriveActivity('killed', { state: 'dead', exitCode: 1 }, 'active')).toBe('exited')
  })
  it('S2.48 says null while nothing is known', () => {
    expect(deriveActivity('working', { state: 'alive' }, null)).toBeNull()
  })
  it('S0.44 passes on what the agent does', () => {
    expect(deriveActivity('working', { state: 'unknown' }, 'active')).toBe('active')
  })
})

describe('the moment at which time alone may change a status', () => {
  it.each([
    ["is the end of an active agent's time", facts(acting('active', MINUTE)), 4 * MINUTE + 1],
    [
      'counts from a message that came later',
      facts({ ...acting('ready', 3 * MINUTE), turnSince: NOW }),
      5 * MINUTE + 1,
    ],
    ['is when records should show a message', facts({ ...acting('active'), turnSince: NOW }), 10_001],
    ['is the reset of a limit', facts({ ...acting('blocked', 6 * MINUTE), limitResetsAt: NOW + MINUTE }), MINUTE],
    ['is not there for one that asks', facts(acting('waiting_input')), null],
    ['is not there for one that is idle already', facts(acting('idle', 6 * MINUTE)), null],
    ['is not there for one whose time is over', facts(acting('blocked', 6 * MINUTE)), null],
    ['is not there while nothing is known', facts(), null],
  ] as const)('%s', (_rule, given, expected) => {
    expect(nextChangeAt(given, NOW)).toBe(expected === null ? null : NOW + expected)
  })

  it('is never later than the change itself', () => {
    const moments = fc.integer({ min: NOW - 10 * MINUTE, max: NOW + 10 * MINUTE })
    const blocked = fc.record({
      at: moments,
      turnSince: fc.option(moments),
      limitResetsAt: fc.option(moments),
      later: fc.integer({ min: 1, max: 30 * MINUTE }),
    })
    fc.assert(
      fc.property(blocked, ({ at, turnSince, limitResetsAt, later }) => {
        const given = facts({ activity: { state: 'blocked', at }, turnSince, limitResetsAt })
        const changed = deriveStatus(given, NOW + later) !== deriveStatus(given, NOW)
        if (changed) expect(nextChangeAt(given, NOW)).toBeLessThanOrEqual(NOW + later)
      }),
    )
  })
})
