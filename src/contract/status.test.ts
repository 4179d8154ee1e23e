import { describe, expect, it } from 'vitest'
import {
  ACTIVITY_STATES,
  isRestorable,
  isTerminalSession,
  NON_RESTORABLE_STATUSES,
  SESSION_STATUSES,
  TERMINAL_ACTIVITIES,
  TERMINAL_STATUSES,
} from './status.ts'

describe('the words for a session', () => {
  it('S3.14 has exactly the sixteen statuses', () => {
    expect([...SESSION_STATUSES].sort()).toEqual(
      [
        'spawning',
        'working',
        'pr_open',
        'ci_failed',
        'review_pending',
        'changes_requested',
        'approved',
        'mergeable',
        'merged',
        'cleanup',
        'needs_input',
        'stuck',
        'errored',
        'killed',
        'done',
        'terminated',
      ].sort(),
    )
  })

  it('S3.15 S0.44–S0.49 has exactly the six activities', () => {
    expect([...ACTIVITY_STATES]).toEqual(['active', 'ready', 'idle', 'waiting_input', 'blocked', 'exited'])
  })

  it('S3.19 S3.20 S3.21 has exactly these terminal and non-restorable words', () => {
    expect([...TERMINAL_STATUSES].sort()).toEqual(['cleanup', 'done', 'errored', 'killed', 'merged', 'terminated'])
    expect([...TERMINAL_ACTIVITIES]).toEqual(['exited'])
    expect([...NON_RESTORABLE_STATUSES]).toEqual(['merged'])
  })
})

describe('isTerminalSession and isRestorable', () => {
  for (const status of SESSION_STATUSES) {
    for (const activity of [null, ...ACTIVITY_STATES]) {
      const terminal = TERMINAL_STATUSES.has(status) || activity === 'exited'
      it(`S3.22 S3.23 says ${terminal ? 'ended' : 'live'} for ${status} and ${activity}`, () => {
        expect(isTerminalSession({ status, activity })).toBe(terminal)
        expect(isRestorable({ status, activity })).toBe(terminal && status !== 'merged')
      })
    }
  }

  it.each([
    ['errored', null, true],
    ['killed', null, true],
    ['working', 'exited', true],
    ['merged', null, false],
    ['merged', 'exited', false],
    ['working', 'active', false],
  ] as const)('S3.24 S0.71 S0.72 isRestorable of %s with %s is %s', (status, activity, expected) => {
    expect(isRestorable({ status, activity })).toBe(expected)
  })
})
