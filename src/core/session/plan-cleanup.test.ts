import { describe, expect, it } from 'vitest'
import { SESSION_STATUSES, type SessionStatus } from '../../contract/status.ts'
import { verdictFromCheck, verdictFromRecord } from './plan-cleanup.ts'

const session = (changes: Partial<{ sessionId: string; role: string; status: SessionStatus; busy: boolean }> = {}) => ({
  sessionId: 'app-1',
  role: 'worker',
  status: 'working' as SessionStatus,
  busy: false,
  ...changes,
})

describe('what cleanup takes', () => {
  it.each(['merged', 'done', 'killed'] as const)('S0.64 takes a session that is %s', (status) => {
    expect(verdictFromRecord(session({ status }))?.action).toBe('remove')
  })

  it.each(['working', 'pr_open', 'needs_input', 'stuck', 'mergeable'] as const)(
    'asks further about one that is %s',
    (status) => {
      expect(verdictFromRecord(session({ status }))).toBeNull()
    },
  )

  it.each(SESSION_STATUSES)('S2.76 never takes an orchestrator, though it is %s', (status) => {
    expect(verdictFromRecord(session({ status, role: 'orchestrator' }))?.action).toBe('skip')
    expect(verdictFromRecord(session({ status, sessionId: 'app-orchestrator' }))?.action).toBe('skip')
  })

  it('leaves a session that another command works on', () => {
    expect(verdictFromRecord(session({ status: 'killed', busy: true }))?.action).toBe('skip')
  })

  it('S2.77 leaves what cannot be verified, and says why', () => {
    expect(verdictFromCheck({ kind: 'failed', why: 'no network' })).toEqual({
      action: 'skip',
      reason: 'it cannot be verified: no network',
    })
  })

  it('S2.73 S2.74 S2.75 takes it for any one reason', () => {
    expect(verdictFromCheck({ kind: 'over', reason: 'its pull request is merged' })?.action).toBe('remove')
    expect(verdictFromCheck({ kind: 'going_on' })).toBeNull()
  })
})
