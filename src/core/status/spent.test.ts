import { describe, expect, it } from 'vitest'
import { sampleSession } from '../../../test/support/sample-session.ts'
import type { SessionEvent } from '../../contract/events.ts'
import {
  type Budget,
  budgetFingerprint,
  findOverBudget,
  isSessionLimit,
  resolveBudget,
} from '../budget/find-over-budget.ts'
import { withoutSession } from '../session/without-session.ts'
import { isOpenTask, type Task } from '../task/shared-task.ts'
import { roleOf } from './describe-session.ts'
import { orderEvents } from './order-events.ts'
import { spentOf, sumSpent, usageChange } from './spent.ts'

const cost = { inputTokens: 1, outputTokens: 2, cacheReadTokens: 4, cacheWriteTokens: 8, estimatedCostUsd: 0.5 }
const spent = (metadata: Record<string, string>, more: Partial<typeof cost> | object | null = null) =>
  spentOf({
    metadata,
    agentInfo: more && ({ summary: null, agentSessionId: null, cost: { ...cost, ...more } } as never),
  })

describe('what a session has used', () => {
  it.each<[string, Record<string, string>, object | null, object | null]>([
    ['is unknown', {}, null, null],
    ['was recorded', { usageTokens: '9', usageCostUsd: '0.25' }, null, { tokens: 9, costUsd: 0.25 }],
    ['was recorded without a price', { usageTokens: '9' }, null, { tokens: 9, costUsd: null }],
    ['is what the agent says', {}, {}, { tokens: 15, costUsd: 0.5 }],
    ['counts earlier accounts', { earlierTokens: '5', earlierCostUsd: '1' }, {}, { tokens: 20, costUsd: 1.5 }],
    ['never shrinks', { usageTokens: '99', usageCostUsd: '9' }, {}, { tokens: 99, costUsd: 0.5 }],
    [
      'keeps a price that the agent does not know',
      { usageCostUsd: '0.25' },
      { estimatedCostUsd: null },
      { tokens: 15, costUsd: 0.25 },
    ],
    ['has no price that nobody knows', {}, { estimatedCostUsd: null }, { tokens: 15, costUsd: null }],
  ])('%s', (_what, metadata, more, expected) => expect(spent(metadata, more)).toEqual(expected))

  it('adds up as far as it is known, and is written down', () => {
    expect(sumSpent([])).toEqual({ tokens: 0, costUsd: null })
    expect(
      sumSpent([null, { tokens: 1, costUsd: null }, { tokens: 2, costUsd: 0.5 }, { tokens: 4, costUsd: 0.25 }]),
    ).toEqual({ tokens: 7, costUsd: 0.75 })
    const now = new Date(7)
    expect(usageChange({ tokens: 3, costUsd: 0 }, now)).toEqual({ usageTokens: 3, usageCostUsd: 0, usageAt: now })
    expect(usageChange({ tokens: 3, costUsd: null }, now).usageCostUsd).toBeUndefined()
  })
})

describe('a budget', () => {
  const budget: Budget = { sessionUsd: 5, projectDayUsd: 10, dayUsd: 20, action: 'notify' }
  const over = (sessionUsd: number | null, projectDayUsd = 0, dayUsd = 0) =>
    findOverBudget(budget, { sessionUsd, projectDayUsd, dayUsd })

  it('is reached by what is nearest', () => {
    expect([over(4.99), over(null)]).toEqual([null, null])
    expect(over(5, 10)).toEqual({
      ...{ scope: 'session', limitUsd: 5, spentUsd: 5, action: 'notify' },
      text: 'it has used $5.00; a session may use $5.00',
      limitText: 'a session may use $5.00',
    })
    expect(over(null, 12.5)).toMatchObject({
      scope: 'project-day',
      text: 'its project has used $12.50 today; its project may use $10.00 a day',
    })
    expect(over(1, 1, 20)).toMatchObject({
      scope: 'day',
      text: 'all projects have used $20.00 today; all projects may use $20.00 a day',
    })
    expect([over(5)!, over(1, 1, 20)!].map(({ limitText }) => isSessionLimit(limitText))).toEqual([true, false])
    expect(findOverBudget({ ...budget, sessionUsd: null }, { sessionUsd: 99, projectDayUsd: 0, dayUsd: 0 })).toBeNull()
  })

  it('is heard of again at each multiple, and each day', () => {
    expect([over(5)!, over(9.99)!, over(10)!].map((one) => budgetFingerprint(one, 'd1'))).toEqual([
      'session 5 1 notify',
      'session 5 1 notify',
      'session 5 2 notify',
    ])
    expect(budgetFingerprint(over(1, 1, 45)!, 'd1')).toBe('day 20 2 notify d1')
  })

  it('of a session goes before its project’s, and that before everybody’s', () => {
    expect(resolveBudget(undefined, undefined, undefined)).toEqual({
      sessionUsd: null,
      projectDayUsd: null,
      dayUsd: null,
      action: 'notify',
    })
    const common = { session: 1, day: 2, action: 'stop' as never }
    expect(resolveBudget(common, undefined, undefined)).toMatchObject({
      sessionUsd: 1,
      projectDayUsd: null,
      dayUsd: 2,
      action: 'stop',
    })
    expect(resolveBudget(common, { session: 3, day: 4, action: 'notify' }, undefined)).toMatchObject({
      sessionUsd: 3,
      projectDayUsd: 4,
      dayUsd: 2,
      action: 'notify',
    })
    expect(resolveBudget(common, { session: 3 }, 9).sessionUsd).toBe(9)
  })
})

it.each<[string, object, boolean]>([
  ['a proposal', { kind: 'split', state: 'proposed' }, false],
  ['an accepted proposal', { kind: 'split', state: 'accepted' }, true],
  ['one that is done', { kind: 'split', state: 'done' }, false],
  ['tries that are still being made', { kind: 'best', reserved: false, settled: true }, true],
  ['tries that nobody chose among', { kind: 'best', reserved: true }, false],
  ['tries of which one was chosen', { kind: 'best', reserved: true, chosen: 'app-1' }, true],
  ['tries that are over', { kind: 'best', reserved: true, chosen: 'app-1', settled: true }, false],
  ['a group', { kind: 'group', reserved: true }, true],
  ['a group that landed', { kind: 'group', reserved: true, settled: true }, false],
])('of a task something is left to do: %s', (_which, task, expected) => expect(isOpenTask(task as Task)).toBe(expected))

it('a session has a role and a word for its status', () => {
  const session = (id: string, metadata: Record<string, string> = {}) => sampleSession({ id, metadata })
  expect(
    [
      session('app-1'),
      session('app-orchestrator'),
      session('app-1', { role: 'orchestrator' }),
      session('app-1', { role: 'reviewer' }),
    ].map(roleOf),
  ).toEqual(['worker', 'orchestrator', 'orchestrator', 'reviewer'])
})

it('a program that outlives its session belongs to none', () => {
  const own = [
    'AO_SESSION',
    'AO_SPAWN_ID',
    'AO_STATE_DIR',
    'AO_PROJECT_ID',
    'AO_CALLER_TYPE',
    'AGH_SESSION_ID',
    'AGH_SESSION_TOKEN',
    'AGH_AGENT',
    'TMUX',
    'TMUX_PANE',
  ]
  expect(withoutSession(Object.fromEntries([...own, 'PATH', 'AO_HOME'].map((name) => [name, 'x'])))).toEqual({
    PATH: 'x',
    AO_HOME: 'x',
  })
})

it('events of the same moment keep the order of their histories', () => {
  const event = (sessionId: string, seq: number, at: string) => ({ sessionId, seq, at }) as SessionEvent
  const [a1, a2, b1, b2] = [event('a', 1, '1'), event('a', 2, '2'), event('b', 1, '1'), event('b', 2, '3')]
  expect(
    orderEvents([
      [a1, a2],
      [b1, b2],
    ]),
  ).toEqual([a1, b1, a2, b2])
  expect(
    orderEvents([
      [b1, b2],
      [a1, a2],
    ]),
  ).toEqual([b1, a1, a2, b2])
})
