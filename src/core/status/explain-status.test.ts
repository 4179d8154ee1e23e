import { describe, expect, it } from 'vitest'
import { sampleSession } from '../../../test/support/sample-session.ts'
import type { ReactionRecord } from '../../contract/reactions.ts'
import type { Session } from '../../contract/session.ts'
import { explainReactions, explainStatus } from './explain-status.ts'

const NOW = new Date('2026-03-04T12:00:00.000Z')
const explain = (session: Partial<Session>, archivedAt: Date | null = null) =>
  explainStatus({ session: sampleSession({ metadata: { status: 'working' }, ...session }), archivedAt }, NOW)

describe('the facts', () => {
  it.each<[string, Partial<Session>, string]>([
    ['what it runs in', {}, 'it runs in tmux'],
    ['that it has ended there', { activity: 'exited' }, 'it ran in tmux, where it has ended'],
    ['what its agent does', {}, 'its agent is active, last active 5m ago'],
    [
      'why it is blocked',
      { activity: 'blocked', agentInfo: { summary: null, agentSessionId: null, blockedBy: 'codex: Overloaded' } },
      'it is blocked by: codex: Overloaded',
    ],
    ['a command', { metadata: { operation: 'kill' } }, 'a kill is under way, or was interrupted'],
    ['a record that is behind', { status: 'stuck' }, 'its record says working; the facts of this moment say stuck'],
    ['no pull request', {}, 'it has no pull request'],
    [
      'reviews that count for nothing',
      { pr: { url: 'u' }, metadata: { uncountedReviewers: 'ken maria' } },
      'reviews by people outside the repository are not counted: ken, maria',
    ],
    ['a pull request', { pr: { url: 'u' } }, 'its pull request u has not been read from its forge yet'],
    [
      'what its forge says of a pull request',
      { pr: { url: 'u' }, metadata: { prState: 'open', ci: 'passing' } },
      'its pull request u is open; CI passing, review unknown',
    ],
    [
      'that a pull request was merged, also before the forge was read',
      { status: 'merged', pr: { url: 'u' } },
      'its pull request u is merged; CI unknown, review unknown',
    ],
  ])('tell %s', (_what, session, fact) => {
    expect(explain(session)).toContain(fact)
  })

  it('of an archived one say so first', () => {
    const facts = explain({ status: 'killed' }, new Date('2026-03-04T11:00:00.000Z'))
    expect(facts.slice(0, 2)).toEqual(['it was archived 1h ago', 'it ran in tmux, where it has ended'])
  })
})

it('says of each reaction how far it is', () => {
  const record: ReactionRecord = {
    fingerprint: 'f',
    attempts: 2,
    firstAt: 0,
    lastAt: NOW.getTime() - 60_000,
    state: 'done',
    retryAt: NOW.getTime() + 30_000,
    escalated: true,
    told: '',
  }
  expect(explainReactions({ 'ci-failed': record }, NOW)).toEqual([
    'ci-failed: done 1m ago, attempt 2; a person was notified',
  ])
  expect(explainReactions({ 'ci-failed': { ...record, state: 'failed', escalated: false } }, NOW)).toEqual([
    'ci-failed: failed; the next try in 30s, attempt 2',
  ])
  expect(explainReactions({}, NOW)).toEqual([])
})
