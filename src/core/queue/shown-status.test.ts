import { describe, expect, it } from 'vitest'
import type { ErrorCause, NeedKind } from '../../contract/dashboard/needs.ts'
import type { SessionStatus } from '../../contract/status.ts'
import { needWord, shownStatus, statusName } from './shown-status.ts'

const shown = (status: SessionStatus, kind: NeedKind | null, cause: ErrorCause | null = null, more = {}) =>
  statusName(shownStatus({ status, need: kind && { kind, cause }, isWaiting: false, isPaused: false, ...more }))

describe('the one status that people read', () => {
  it.each<[string, SessionStatus, NeedKind | null, ErrorCause | null, string]>([
    ['works', 'working', null, null, 'working'],
    ['is over with its turn', 'working', 'finished', null, 'finished'],
    ['is signed out', 'working', 'error', 'signed_out', 'signed_out'],
    ['has reached its limit', 'stuck', 'error', 'limit', 'limit_reached'],
    ['is silent', 'stuck', 'error', 'silent', 'stuck'],
    ['crashed, and nobody killed it', 'killed', 'error', 'ended', 'ended'],
    ['was killed', 'killed', null, null, 'killed'],
    ['gave up on red checks, which is more than that it needs help', 'ci_failed', 'error', 'gave_up', 'ci_failed'],
    ['asks', 'needs_input', 'question', null, 'needs_input'],
  ])('of an agent that %s', (_, status, kind, cause, expected) => {
    expect(shown(status, kind, cause)).toBe(expected)
  })

  it('of one that stands still, or has not started, is that', () => {
    expect(shown('working', 'finished', null, { isPaused: true })).toBe('paused')
    expect(shown('ci_failed', null, null, { isPaused: true })).toBe('ci_failed')
    expect(shown('spawning', null, null, { isWaiting: true })).toBe('waiting')
  })
})

it('the queue names the cause of an error, and what else waits by its kind', () => {
  expect(needWord({ kind: 'error', cause: 'overloaded' })).toBe('provider down')
  expect(needWord({ kind: 'merge', cause: null })).toBe('ready to merge')
})
