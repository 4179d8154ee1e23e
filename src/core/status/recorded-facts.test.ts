import { describe, expect, it } from 'vitest'
import { sampleSession } from '../../../test/support/sample-session.ts'
import type { PullFacts } from '../../contract/pull.ts'
import { recordOf, type SessionRecord } from '../../contract/record.ts'
import type { Session } from '../../contract/session.ts'
import type { SessionStatus } from '../../contract/status.ts'
import { deriveActivity, factsOfStatus } from './derive-status.ts'
import {
  decidingFacts,
  decidingPull,
  hasLeftTrain,
  heedMessage,
  heedRecord,
  isMergeConfirmed,
  otherPulls,
  pullUrls,
  type RecordedActivity,
  recordedPrFacts,
  recordedPulls,
  recordedTurn,
  statusOfPr,
  withoutPull,
} from './recorded-facts.ts'

const pull = (url: string, more: Partial<PullFacts> = {}): PullFacts => ({
  ...{ url, state: 'open', ci: 'passing', review: 'pending', mergeable: true },
  ...more,
})
const [A, B, C] = ['u/1', 'u/2', 'u/3'].map((url) => pull(url)) as [PullFacts, PullFacts, PullFacts]
const record = (more: Partial<SessionRecord>) => more as SessionRecord

describe('the pull requests of a record', () => {
  it('are those that were read, oldest first, while it has one', () => {
    expect(recordedPulls(record({ prFacts: A, otherPulls: [B] }))).toEqual([])
    expect(
      recordedPulls(record({ pr: 'u/3', prFacts: C, otherPulls: [A, pull('u/3', { ci: 'failing' }), B] })),
    ).toEqual([A, B, C])
    expect(recordedPulls(record({ pr: 'u/3', otherPulls: [A] }))).toEqual([A])
    expect(recordedPrFacts(record({ pr: 'u/3', prFacts: A }))).toBeNull()
    expect(otherPulls(record({ pr: 'u/3', prFacts: C, otherPulls: [A] }))).toEqual([A])
  })

  it('are known by their addresses, also before they were read', () => {
    expect(pullUrls(record({ prs: ['u/1'] }))).toEqual([])
    expect(pullUrls(record({ pr: 'u/3', otherPulls: [A], prs: ['u/1', 'u/2'] }))).toEqual(['u/1', 'u/2', 'u/3'])
    expect(pullUrls(record({ pr: 'u/3' }))).toEqual(['u/3'])
  })

  it('may go to another session, and then the newest of the others counts', () => {
    const several = record({ pr: 'u/3', prFacts: C, otherPulls: [A, B], prs: ['u/1', 'u/2', 'u/3'] })
    expect(withoutPull(several, 'u/3')).toEqual({ pr: 'u/2', prFacts: B, prs: ['u/1', 'u/2'], otherPulls: [A] })
    expect(withoutPull(several, 'u/1')).toEqual({ prs: ['u/2', 'u/3'], otherPulls: [B] })
    expect(withoutPull(record({ pr: 'u/3', prFacts: C }), 'u/3')).toEqual({ pr: null, prFacts: null, otherPulls: null })
  })

  it('were merged when the forge said so, not because a status does', () => {
    const merged = (state: PullFacts['state'], status: SessionStatus = 'merged') =>
      isMergeConfirmed(record({ status, pr: 'u/1', prFacts: pull('u/1', { state }) }))
    expect([merged('merged'), merged('open'), merged('merged', 'done')]).toEqual([true, false, false])
    expect(isMergeConfirmed(record({ status: 'merged' }))).toBe(true)
  })

  it.each<[string, SessionStatus, Partial<PullFacts>, boolean]>([
    ['is approved and out of the train', 'approved', { left: 'red' }, true],
    ['is in it', 'approved', {}, false],
    ['is merged', 'approved', { left: 'red', state: 'merged' }, false],
    ['has other trouble', 'ci_failed', { left: 'red' }, false],
  ])('left the train when one %s', (_which, status, more, expected) => {
    const url = 'https://x/o/r/pull/1'
    const metadata = { pr: url, prFacts: JSON.stringify(pull(url, { review: 'approved', ...more })) }
    expect(hasLeftTrain(sampleSession({ status, metadata }))).toBe(expected)
  })
})

describe('of several pull requests, the status is about', () => {
  it.each<[string, PullFacts[], string | undefined, number]>([
    ['an open one before one that is over', [A, pull('m', { state: 'merged' })], 'm', 0],
    [
      'failed checks before requested changes',
      [pull('a', { review: 'changes_requested' }), pull('b', { ci: 'failing' })],
      'a',
      1,
    ],
    [
      'requested changes before a merge',
      [pull('a', { review: 'approved' }), pull('b', { review: 'changes_requested' })],
      'a',
      1,
    ],
    ['a merge before a review', [A, pull('b', { review: 'approved' })], 'u/1', 1],
    ['a review before what only waits', [pull('a', { review: 'approved', mergeable: false }), A], 'a', 1],
    [
      'what is approved before a draft',
      [pull('a', { isDraft: true }), pull('b', { review: 'approved', mergeable: null })],
      'a',
      1,
    ],
    [
      'one that left the train before a merge',
      [pull('a', { review: 'approved' }), pull('b', { review: 'approved', left: 'red' })],
      'a',
      1,
    ],
    ['the current one of equals', [A, B, C], 'u/2', 1],
    ['the newest of equals', [A, B, C], undefined, 2],
  ])('%s', (_which, pulls, current, index) => {
    expect(decidingPull(pulls, current)).toBe(pulls[index])
  })

  it('nothing before its newest was read', () => {
    expect(decidingFacts(record({ pr: 'u/3', otherPulls: [A] }))).toBeNull()
    expect(
      decidingFacts(record({ pr: 'u/3', prFacts: C, otherPulls: [pull('u/1', { ci: 'failing' })] })),
    ).toMatchObject({ url: 'u/1' })
  })
})

it.each<[Partial<PullFacts>, SessionStatus]>([
  [{ state: 'merged' }, 'merged'],
  [{ state: 'closed', ci: 'failing' }, 'working'],
  [{ review: 'approved', ci: 'none' }, 'mergeable'],
  [{ review: 'approved', left: 'red' }, 'approved'],
  [{ ci: 'none' }, 'review_pending'],
  [{ ci: 'pending' }, 'pr_open'],
  [{ isDraft: true }, 'pr_open'],
])('a pull request with %j makes it %s', (more, status) => expect(statusOfPr(pull('u', more))).toBe(status))

it.each<[SessionStatus, object]>([
  ['merged', { endedAs: 'merged', alarm: null }],
  ['needs_input', { launched: 'yes', endedAs: null, alarm: 'needs_input' }],
  ['stuck', { launched: 'yes', endedAs: null, alarm: 'stuck' }],
  ['spawning', { launched: null, endedAs: null, alarm: null }],
  ['working', { launched: 'yes', endedAs: null, alarm: null }],
])('of a bare %s the record knows %j', (status, facts) => expect(factsOfStatus(status)).toEqual(facts))

it('an agent that has ended does nothing, whatever it wrote last', () => {
  expect(deriveActivity('working', { state: 'dead', exitCode: 0 }, 'active')).toBe('exited')
  expect(deriveActivity('killed', null, 'active')).toBe('exited')
  expect(deriveActivity('killed', { state: 'unknown' }, 'active')).toBe('active')
  expect(deriveActivity('working', null, 'active')).toBe('active')
})

it.each<[string, Partial<SessionRecord>, string | null]>([
  ['when it got its last message', { lastMessageAt: new Date('2026-01-02') }, '2026-01-02'],
  ['when it began to work', { status: 'working', statusSince: new Date('2026-01-03') }, '2026-01-03'],
  ['when its checks failed', { status: 'ci_failed', statusSince: new Date('2026-01-03') }, '2026-01-03'],
  [
    'with the later of a verdict and a message',
    { status: 'changes_requested', statusSince: new Date('2026-01-03'), lastMessageAt: new Date('2026-01-02') },
    '2026-01-03',
  ],
  ['with nothing that others do', { status: 'review_pending', statusSince: new Date('2026-01-03') }, null],
  ['unknown to the record', {}, null],
])('its turn began %s', (_when, more, at) => {
  expect(recordedTurn(record(more))).toBe(at === null ? null : Date.parse(at))
})

describe('the record knows better than the agent', () => {
  const heed = (reading: RecordedActivity | null, session: Partial<Session> = {}) =>
    heedRecord(sampleSession({ metadata: {}, ...session }), reading)

  it('that a turn which ended without a pull request waits for a person', () => {
    const idle = { state: 'idle', turnEnded: true } as const
    expect(heed(idle)).toEqual({ ...idle, state: 'ready' })
    expect(heed(idle, { pr: { url: 'u' } })).toBe(idle)
    expect(heed({ state: 'idle' })).toEqual({ state: 'idle' })
    expect(heed({ ...idle, state: 'active' })).toMatchObject({ state: 'active' })
    expect(heed(null)).toBeNull()
  })

  const restoredAt = '2026-01-01T10:00:00.000Z'
  const until = '2026-01-01T12:00:00.000Z'
  const limited = (more: object = {}, limit: object = {}) => ({
    metadata: {
      ...{ agent: 'codex', restoredAt, limits: JSON.stringify([{ agent: 'codex', account: null, until, ...limit }]) },
      ...more,
    },
  })
  const blocked = { state: 'blocked', timestamp: new Date(restoredAt), evidence: `limit reached, resets at ${until}` }

  it.each<[string, RecordedActivity | null, Partial<Session>]>([
    ['says nothing', null, limited()],
    ['is ready', { state: 'ready' }, limited()],
    ['is idle', { state: 'idle' }, limited()],
    ['got its message before that', { state: 'idle' }, limited({ lastMessageAt: restoredAt })],
  ])('that one restored within its limit is blocked when it %s', (_how, reading, session) => {
    expect(heed(reading, session)).toEqual(blocked)
  })

  it.each<[string, RecordedActivity | null, Partial<Session>]>([
    ['works', { state: 'active' }, limited()],
    ['was asked to continue', { state: 'idle' }, limited({ lastMessageAt: '2026-01-01T10:00:01.000Z' })],
    ['was restored as the limit ended', { state: 'idle' }, limited({ restoredAt: until })],
    ['was never restored', { state: 'idle' }, { metadata: { ...limited().metadata, restoredAt: '' } }],
    ['uses another account', { state: 'idle' }, limited({ account: 'work' })],
    ['could not use it for another reason', { state: 'idle' }, limited({}, { why: 'not signed in' })],
  ])('and not when it %s', (_how, reading, session) => {
    expect(heed(reading, session)).toEqual(reading)
  })
})

describe('records that end before the last message', () => {
  const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 10, 0, second))
  const entered = at(10)
  const heed = (reading: RecordedActivity | null, now: Date, metadata: Record<string, string>) =>
    heedMessage(sampleSession({ metadata }), reading, now)
  const handedOver = { lastMessageAt: entered.toISOString() }
  const entering = { lastMessageAt: at(1).toISOString(), submittingMessage: `m-1 ${entered.toISOString()}` }
  const begins = {
    state: 'active',
    timestamp: entered,
    evidence: 'it has just got a message, which its records do not show yet',
  }

  it.each<[RecordedActivity['state'], Record<string, string>]>([
    ['ready', handedOver],
    ['idle', handedOver],
    ['blocked', handedOver],
    ['ready', entering],
  ])('do not make it %s, with %j: its turn before ended, not this one', (state, metadata) => {
    const before: RecordedActivity = { state, timestamp: at(9), turnEnded: true }
    expect(heed(before, at(10), metadata)).toEqual(begins)
    expect(heed(before, at(20), metadata)).toEqual(begins)
  })

  it.each([handedOver, entering])('are judged by the moment at which its turn began, with %j', (metadata) => {
    expect(recordedTurn(recordOf({ metadata }))).toBe(entered.getTime())
  })

  const ready = (second: number): RecordedActivity => ({ state: 'ready', timestamp: at(second), turnEnded: true })
  it.each<[string, RecordedActivity | null, Date, Record<string, string>]>([
    ['it never began with the message', ready(9), at(21), handedOver],
    ['its turn with the message has ended', ready(10), at(11), handedOver],
    ['it works', { state: 'active', timestamp: at(9) }, at(11), handedOver],
    ['it asks', { state: 'waiting_input', timestamp: at(9) }, at(11), handedOver],
    ['it has ended', { state: 'exited', timestamp: at(9) }, at(11), handedOver],
    ['nobody knows since when', { state: 'ready' }, at(11), handedOver],
    ['it records nothing', null, at(11), handedOver],
    ['it got no message', ready(9), at(11), {}],
    ['the clock was set back', ready(3), at(5), handedOver],
    ['the record is damaged', ready(9), at(11), { submittingMessage: 'm-1 soon' }],
  ])('stand when %s', (_when, reading, now, metadata) => {
    expect(heed(reading, now, metadata)).toBe(reading)
  })
})
