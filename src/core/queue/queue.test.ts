import { describe, expect, it } from 'vitest'
import { sampleSession } from '../../../test/support/sample-session.ts'
import type { PermissionRequest } from '../../contract/permission.ts'
import type { Session } from '../../contract/session.ts'
import { causeOf, errorMessage } from './error-cause.ts'
import { findNeed, type Need, type NeedFacts } from './find-need.ts'
import { nextItem, rankQueue } from './rank-queue.ts'

const SINCE = '2026-03-04T11:00:00.000Z'

function needOf(session: Partial<Session>, more: Partial<NeedFacts> = {}): Need | null {
  return findNeed({
    session: sampleSession(session),
    since: SINCE,
    evidence: ['demo log: something happened'],
    escalated: false,
    endedByCommand: false,
    permissions: [],
    canMerge: true,
    now: new Date('2026-03-04T12:00:00.000Z'),
    ...more,
  })
}

const withMessage = (lastMessage: string, blockedBy?: string) => ({
  agentInfo: { summary: null, agentSessionId: null, lastMessage, blockedBy },
})

function request(requestId: string, expiresAt: string | null): PermissionRequest {
  return { requestId, title: `May I ${requestId}?`, kind: 'execute', options: [], askedAt: SINCE, expiresAt }
}

const LOST_ON_TMUX = 'the agent no longer runs: tmux has no session 0a1b2c-app-1 of this launch'

describe('what a session needs', () => {
  const pr = { url: 'http://localhost/acme/app/pull/7', number: 7, title: 'A better button' }
  it.each<[string, Partial<Session>, Partial<NeedFacts>, Partial<Need> | null]>([
    [
      'the permission that expires first',
      { status: 'working' },
      { permissions: [request('b', null), request('a', '2026-03-04T12:00:00.000Z')] },
      { kind: 'permission', matter: 'May I a?', deadline: '2026-03-04T12:00:00.000Z', acts: ['allow', 'reject'] },
    ],
    [
      'an answer, with the whole question',
      { status: 'needs_input', activity: 'waiting_input', ...withMessage(`Which?\n(a)\n(b)\n${'x'.repeat(700)}`) },
      {},
      { kind: 'question', matter: `Which?\n(a)\n(b)\n${'x'.repeat(700)}`, acts: ['answer', 'snooze'] },
    ],
    [
      'a sign-in',
      {
        status: 'stuck',
        activity: 'blocked',
        ...withMessage('', 'agh: the last turn failed: 401 OAuth token expired. Run /login'),
      },
      {},
      {
        kind: 'error',
        cause: 'signed_out',
        matter: '401 OAuth token expired. Run /login',
        acts: ['sign_in', 'retry', 'snooze'],
      },
    ],
    [
      'more money, when its own limit is reached',
      { status: 'working', activity: 'idle', metadata: { overBudget: 'a session may use $5.00' } },
      {},
      {
        kind: 'error',
        cause: 'budget',
        matter: 'It has spent what it may: a session may use $5.00.',
        acts: ['raise', 'answer', 'done', 'snooze'],
      },
    ],
    [
      'more money, when it was ended for it',
      { status: 'killed', activity: 'exited', metadata: { overBudget: 'a session may use $5.00' } },
      { endedByCommand: true },
      { kind: 'error', cause: 'budget', acts: ['raise', 'done'] },
    ],
    [
      'another limit of the day, which more for this session would not help',
      { status: 'working', activity: 'idle', metadata: { overBudget: 'all projects may use $50.00 a day' } },
      {},
      { kind: 'error', cause: 'budget', acts: ['answer', 'done', 'snooze'] },
    ],
    [
      'another try',
      { status: 'working', activity: 'blocked', ...withMessage('', 'demo log: turn failed: 529 Overloaded') },
      {},
      { kind: 'error', cause: 'overloaded', matter: '529 Overloaded', acts: ['retry', 'answer', 'snooze'] },
    ],
    [
      'help, when it is silent',
      { status: 'stuck', activity: 'idle', ...withMessage('Hm.') },
      {},
      { kind: 'error', cause: 'silent' },
    ],
    [
      'help, when it is silent while CI fails',
      {
        status: 'stuck',
        activity: 'idle',
        ...withMessage('I could not find the cause.'),
        metadata: {
          prFacts: JSON.stringify({ url: pr.url, state: 'open', ci: 'failing', review: 'pending', mergeable: null }),
        },
      },
      {},
      { cause: 'silent', matter: 'CI fails, and the agent has not fixed it.\nI could not find the cause.' },
    ],
    [
      'help, when a reaction gave up',
      {
        status: 'ci_failed',
        metadata: {
          prFacts: JSON.stringify({ url: pr.url, state: 'open', ci: 'failing', review: 'pending', mergeable: null }),
        },
      },
      { escalated: true },
      { kind: 'error', cause: 'gave_up', matter: 'CI fails, and the agent has not fixed it.' },
    ],
    [
      'a decision, when it ended on its own',
      { status: 'killed' },
      {},
      { kind: 'error', cause: 'ended', acts: ['restore', 'done'] },
    ],
    [
      'a restore, when its runtime lost it',
      { status: 'killed' },
      { evidence: [`pull request ${pr.url} is open, CI passing`, LOST_ON_TMUX] },
      { kind: 'error', cause: 'lost', matter: LOST_ON_TMUX, acts: ['restore', 'done'] },
    ],
    ['nothing, when a command ended it', { status: 'killed' }, { endedByCommand: true }, null],
    [
      'the next step, when its turn ended well without a pull request',
      { status: 'working', activity: 'ready', pr: null, ...withMessage('Done, with a test.') },
      {},
      { kind: 'finished', matter: 'Done, with a test.', acts: ['hand_in', 'done', 'answer', 'snooze'] },
    ],
    [
      'to ask again, when nobody answered its request in time',
      {
        status: 'working',
        activity: 'ready',
        agentInfo: { summary: null, agentSessionId: null, expiredRequest: { text: 'rm -rf build', at: SINCE } },
      },
      {},
      {
        kind: 'error',
        cause: 'expired',
        matter: 'Nobody answered in time; it was refused: rm -rf build',
        acts: ['ask_again', 'answer', 'done', 'snooze'],
      },
    ],
    [
      'no quick yes to what is cut; the command comes before the title',
      { status: 'working' },
      {
        permissions: [
          { ...request('a', null), isCut: true, input: { kind: 'command', text: 'curl x | sh', differs: true } },
        ],
      },
      { kind: 'permission', requestId: 'a', acts: ['reject'], matter: expect.stringMatching(/^curl x \| sh\n/) },
    ],
    ['nothing, when it finished and has a pull request', { status: 'pr_open', activity: 'ready', pr }, {}, null],
    [
      'nothing, when a message is on its way to it',
      { status: 'working', activity: 'ready', pr: null, metadata: { messagesOnTheWay: 'm1' } },
      {},
      null,
    ],
    [
      'nothing, as a coordinator between two turns',
      { id: 'app-orchestrator', status: 'stuck', activity: 'idle' },
      {},
      null,
    ],
    ['a review', { status: 'review_pending', pr }, {}, { kind: 'review', matter: 'A better button' }],
    ['a merge', { status: 'mergeable', pr }, {}, { kind: 'merge', acts: ['merge', 'review'] }],
    ['nothing while it works', { status: 'working', activity: 'active' }, {}, null],
    ['nothing when it is merged', { status: 'merged', pr }, { permissions: [request('a', null)] }, null],
  ])('%s', (_what, session, more, expected) => {
    const need = needOf(session, more)
    if (expected === null) expect(need).toBe(null)
    else expect(need).toMatchObject(expected)
  })
})

describe('the cause of an error', () => {
  it.each([
    ['OAuth token has expired · Please run /login', 'signed_out'],
    ['API Error: 401 {"type":"authentication_error"}', 'signed_out'],
    ['API Error: 529 overloaded_error', 'overloaded'],
    ['read ECONNRESET', 'overloaded'],
    ["You've reached your usage limit, resets at 15:00", 'limit'],
    ['429 Too Many Requests', 'limit'],
    ['TypeError: x is not a function', 'other'],
  ])('%s: %s', (wording, cause) => {
    expect(causeOf(wording)).toBe(cause)
  })

  it('never consists of the words of the detector', () => {
    expect(errorMessage('it is blocked by: agh: the last turn failed: no')).toBe('no')
    expect(errorMessage('agh: the last turn failed')).toBe('')
  })
})

describe('the queue', () => {
  const card = (id: string, need: Partial<Need>, more: { agent?: string; snoozedUntil?: string } = {}) => ({
    id,
    agent: 'claude-code',
    snoozedUntil: null,
    need: { kind: 'question', matter: id, cause: null, since: SINCE, deadline: null, acts: [], ...need } as Need,
    ...more,
  })
  const NOW = Date.parse('2026-03-04T12:00:00Z')
  const order = (...cards: Parameters<typeof rankQueue>[0]) =>
    rankQueue(cards, NOW).map(({ sessions }) => sessions.join('+'))

  it('is ordered by kind, permissions by deadline, the rest by age', () => {
    expect(
      order(
        card('merge', { kind: 'merge' }),
        card('review', { kind: 'review' }),
        card('finished', { kind: 'finished' }),
        card('error', { kind: 'error', cause: 'other' }),
        card('young', { since: '2026-03-04T11:59:00.000Z' }),
        card('old', { since: '2026-03-04T09:00:00.000Z' }),
        card('whenever', { kind: 'permission', since: '2026-03-04T08:00:00.000Z' }),
        card('later', { kind: 'permission', deadline: '2026-03-04T12:05:00.000Z' }),
        card('soon', { kind: 'permission', deadline: '2026-03-04T12:01:00.000Z' }),
        { id: 'busy', agent: 'demo', need: null, snoozedUntil: null },
      ),
    ).toEqual(['soon', 'later', 'whenever', 'old', 'young', 'error', 'finished', 'review', 'merge'])
  })

  it('orders reviews by what is blocked behind them × risk ÷ minutes, behind all questions, and says why', () => {
    const risk = (score: number, minutes: number) => ({ score, minutes, terms: [] })
    const at = { projectId: 'app', pr: null, issue: null }
    const since = '2026-03-04T11:50:00.000Z'
    const review = (id: string, more: object) => ({ ...card(id, { kind: 'review', since }), ...at, ...more })
    const waits = (id: string, blockers: string[]) => ({ id, agent: 'demo', need: null, snoozedUntil: null, blockers })
    const queue = rankQueue(
      [
        review('small', { risk: risk(10, 5) }),
        review('risky', { risk: risk(50, 10) }),
        review('blocking', { risk: risk(10, 5), issue: { id: '7', url: null, title: null } }),
        review('unmeasured', {}),
        {
          ...review('old', { risk: risk(1, 60) }),
          need: { ...card('old', { kind: 'review' }).need, since: '2026-03-03T11:00:00.000Z' },
        },
        card('asks', {}),
        waits('w1', ['issue:app:7']),
        waits('w2', ['session:w1', 'session:w2']),
        waits('w3', ['session:w2', 'session:blocking']),
      ],
      NOW,
    )
    expect(queue.map(({ sessions: [id] }) => id)).toEqual(['asks', 'old', 'blocking', 'unmeasured', 'risky', 'small'])
    expect(queue.slice(1).map(({ why }) => why)).toEqual([
      'it has waited for more than a day; nothing waits behind it: 1 × risk 1 ÷ 60 min = 0.0',
      'w1, w2, w3 wait behind it: 4 × risk 10 ÷ 5 min = 8.0',
      'nothing waits behind it: 1 × risk 100 (unknown) ÷ 15 min = 6.7',
      'nothing waits behind it: 1 × risk 50 ÷ 10 min = 5.0',
      'nothing waits behind it: 1 × risk 10 ÷ 5 min = 2.0',
    ])
  })

  it('folds what stops several agents of a kind for the same reason, and nothing else', () => {
    const signedOut = { kind: 'error', cause: 'signed_out' } as const
    expect(
      order(
        card('b', { ...signedOut, since: '2026-03-04T10:00:00.000Z' }),
        card('a', signedOut),
        card('c', signedOut, { agent: 'codex' }),
        card('d', { kind: 'error', cause: 'other' }),
        card('e', { kind: 'error', cause: 'other' }),
      ),
    ).toEqual(['b+a', 'd', 'e', 'c'])
  })

  it('folds all agents that their runtime lost, whatever they were, and restores them together', () => {
    const lost = { kind: 'error', cause: 'lost', acts: ['restore', 'done'] } as const
    const cards = Array.from({ length: 24 }, (_, at) =>
      card(
        `app-${at + 1}`,
        { ...lost, acts: [...lost.acts], matter: `session app-${at + 1}` },
        at % 2 ? {} : { agent: 'codex' },
      ),
    )
    const [item, ...others] = rankQueue([...cards, card('x', { kind: 'error', cause: 'ended' })], NOW)
    expect([item?.sessions.length, item?.acts, others.map(({ sessions }) => sessions)]).toEqual([
      24,
      ['restore'],
      [['x']],
    ])
  })

  it('leaves out what was put off, until its time comes', () => {
    const put = card('a', {}, { snoozedUntil: '2026-03-04T12:00:01.000Z' })
    expect(rankQueue([put], NOW)).toEqual([])
    expect(rankQueue([put], NOW + 1_000)).toHaveLength(1)
  })

  it('knows who is next, from anywhere', () => {
    const queue = rankQueue([card('a', {}), card('b', {}), card('c', {})], NOW)
    const next = (id: string | null) => nextItem(queue, id)?.sessions[0]
    expect([next(null), next('elsewhere'), next('a'), next('b'), next('c')]).toEqual(['a', 'a', 'b', 'c', 'a'])
    expect(nextItem([], 'a')).toBe(null)
  })
})
