import { describe, expect, it } from 'vitest'
import { sampleSession } from '../../../test/support/sample-session.ts'
import type { ReactionRecord } from '../../contract/reactions.ts'
import type { Session } from '../../contract/session.ts'
import { explainReactions, explainStatus } from './explain-status.ts'

const NOW = new Date('2026-03-04T12:00:00.000Z')
const explain = (session: Partial<Session>, archivedAt: Date | null = null) =>
  explainStatus({ session: sampleSession({ metadata: { status: 'working' }, ...session }), archivedAt }, NOW)

const INFO = { summary: null, agentSessionId: null }
const UNKNOWN = { place: 'box', why: 'no answer', since: null, unreachable: true }
const stack = (facts: object) => ({ stack: JSON.stringify(facts) })

describe('the facts', () => {
  it.each<[string, Partial<Session>, string]>([
    ['what it runs in', {}, 'it runs in tmux'],
    ['that it has ended there', { activity: 'exited' }, 'it ran in tmux, where it has ended'],
    ['what its agent does', {}, 'its agent is active, last active 5m ago'],
    ['what its agent waits for', { activity: 'waiting_input' }, 'its agent is waiting for input, last active 5m ago'],
    [
      'why it is blocked',
      { activity: 'blocked', agentInfo: { summary: null, agentSessionId: null, blockedBy: 'codex: Overloaded' } },
      'it is blocked by: codex: Overloaded',
    ],
    ['a command', { metadata: { operation: 'kill' } }, 'a kill is under way, or was interrupted'],
    ['a record that is behind', { status: 'stuck' }, 'its record says working; the facts of this moment say stuck'],
    ['no pull request', {}, 'it has no pull request'],
    ['no prompt', { metadata: { promptDelivered: 'no' } }, 'it has not been given its first prompt'],
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
    [
      'a pause',
      { metadata: { paused: '2026-03-04T11:59:00.000Z' } },
      'it was paused 1m ago; a message or a restore continues it',
    ],
    ['its account', { metadata: { account: 'work' } }, 'it uses the account work'],
    [
      'an account that has reached its limit',
      {
        metadata: { limits: JSON.stringify([{ agent: 'codex', account: 'work', until: '2026-03-04T13:00:00.000Z' }]) },
      },
      'codex with the account work has reached its limit, until 2026-03-04T13:00:00.000Z',
    ],
    [
      'an account that could not be used',
      {
        metadata: {
          limits: JSON.stringify([
            { agent: 'codex', account: 'work', until: '2026-03-04T13:00:00.000Z', why: 'signed out' },
          ]),
        },
      },
      'codex with the account work could not be used: signed out, until 2026-03-04T13:00:00.000Z',
    ],
    ['its budget', { metadata: { overBudget: 'it has spent $5.00' } }, 'it has reached its budget: it has spent $5.00'],
    ['whose work it began with', { metadata: { forkedFrom: 'app-9' } }, 'it began with the work of app-9'],
    [
      'a copy',
      { metadata: { forkedFrom: 'app-9', forkConversation: 'copied' } },
      'it began with the work of app-9 and a copy of its conversation',
    ],
    [
      'a new conversation',
      { metadata: { forkedFrom: 'app-9', forkConversation: 'new' } },
      'it began with the work of app-9 in a new conversation',
    ],
    [
      'what it stands on',
      { metadata: stack({ on: 'app-2', at: 'c'.repeat(40) }) },
      `it stands on the branch of app-2, which has not landed; its own work begins after ${'c'.repeat(10)}`,
    ],
    [
      'what it stood on',
      { metadata: stack({ on: null }) },
      'what it stood on has landed, and its work is for the default branch',
    ],
    [
      'what it is for now',
      { metadata: { ...stack({ on: null }), baseBranch: 'next' } },
      'what it stood on has landed, and its work is for next',
    ],
    [
      'why it does not follow',
      { metadata: stack({ on: 'app-2', why: 'it was pushed' }) },
      'it does not follow by itself: it was pushed',
    ],
    [
      'that it was asked to follow',
      { metadata: stack({ on: 'app-2', requested: 'd'.repeat(40) }) },
      `its agent was asked to rebase it onto ${'d'.repeat(10)}`,
    ],
    [
      'a limit',
      { agentInfo: { ...INFO, limitResetsAt: new Date('2026-03-04T13:00:00.000Z') } },
      'it waits for its limit, which is reset at 2026-03-04T13:00:00.000Z',
    ],
    [
      'what nobody answered',
      { agentInfo: { ...INFO, expiredRequest: { text: 'rm x', at: '2026-03-04T11:58:00.000Z' } } },
      'nobody answered in time, so it was refused 2m ago: rm x',
    ],
    [
      'what is not known',
      { agentInfo: { ...INFO, unknown: UNKNOWN } },
      'what its agent is doing is unknown: no answer',
    ],
    [
      'where it was started',
      { agentInfo: { ...INFO, unknown: UNKNOWN } },
      'it was started in tmux; whether it is running could not be found out',
    ],
    [
      'what it waits for',
      {
        status: 'spawning',
        metadata: { waitsSince: '2026-03-04T11:00:00.000Z', blockers: 'session:app-2', heldBack: 'it failed before' },
      },
      'it does not start by itself: it failed before',
    ],
  ])('tell %s', (_what, session, fact) => {
    expect(explain(session)).toContain(fact)
  })

  it.each<[string, Partial<Session>]>([
    ['one that has it', { metadata: { promptDelivered: 'yes' } }],
    ['one that is over', { status: 'killed', metadata: { promptDelivered: 'no' } }],
    ['one whose start is under way', { metadata: { promptDelivered: 'no', operation: 'spawn' } }],
    ['one that runs nowhere', { runtimeHandle: null, metadata: { promptDelivered: 'no' } }],
  ])('do not say of %s that it lacks its first prompt', (_what, session) => {
    expect(explain(session)).not.toContain('it has not been given its first prompt')
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
  const told = (more: Partial<ReactionRecord>) =>
    explainReactions({ 'ci-failed': { ...record, escalated: false, ...more } }, NOW)[0]
  expect(told({ state: 'failed', retryAt: NOW.getTime() })).toBe('ci-failed: failed; the next try is due, attempt 2')
  expect(told({ state: 'dropped' })).toBe('ci-failed: over 1m ago, before anything was done, attempt 2')
  expect(told({ state: 'intended' })).toBe('ci-failed: decided 1m ago, not confirmed yet, attempt 2')
  expect(explainReactions({}, NOW)).toEqual([])
})
