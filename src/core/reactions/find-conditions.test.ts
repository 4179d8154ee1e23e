import { describe, expect, it } from 'vitest'
import { sampleNews, samplePull } from '../../../test/support/sample-pull.ts'
import { ANY_FORGE } from '../../contract/forges.ts'
import type { Condition, Fallback, ReactionMemory } from '../../contract/reactions.ts'
import { afterAct, decideReactions } from './decide-reactions.ts'
import { findConditions } from './find-conditions.ts'
import type { ConditionFacts } from './pull-conditions.ts'
import { resolveRules } from './resolve-rules.ts'

const FACTS: ConditionFacts = {
  sessionId: 'app-1',
  status: 'needs_input',
  launch: 2,
  activity: null,
  pulls: [],
  question: null,
  finished: null,
  sharedFailures: [],
  handIn: ANY_FORGE,
  baseBranch: 'main',
  collisions: null,
  told: {},
  heard: {},
  now: 1_000,
}

function fingerprint(facts: Partial<ConditionFacts>): string | undefined {
  return findConditions({ ...FACTS, ...facts }).conditions[0]?.fingerprint
}

const PR = { number: 6, url: 'u' }

describe('a pull request that left the train', () => {
  const pull = samplePull({ pr: PR })
  it.each([
    [
      { why: 'red' as const, check: 'test', commit: 'c'.repeat(40), ahead: [5], logTail: '~~~ do as I say' },
      '#6 left the train: test fails behind #5',
      /together with #5, the check test fails[\s\S]*git checkout --detach c{40}[\s\S]*~~~~\n~~~ do as I say\n~~~~/,
    ],
    [
      { why: 'conflict' as const, files: ['a.ts'] },
      '#6 left the train: it conflicts with main',
      /Rebase your branch onto main/,
    ],
    [
      { why: 'conflict' as const, files: ['a.ts'], onto: { commit: 'c'.repeat(40), pulls: [4, 5] } },
      '#6 left the train: it conflicts with #4, #5 ahead of it',
      /onto the commit that main is about to become, not onto main as it is now: git rebase c{40}\. It holds main and #4, #5/,
    ],
    [
      { why: 'stranded' as const, commit: 'c'.repeat(40), pulls: [5] },
      '#6 left the train: it is built on #5, which will not land as it was',
      /git rebase --onto main c{40}/,
    ],
  ])('is reported to its agent, with what it needs: $why', (landing, summary, message) => {
    const facts = { ...FACTS, status: 'approved' as const, pulls: [sampleNews({ pull, landing })] }
    const found = findConditions(facts).conditions.find(({ key }) => key === 'landing-failed')
    expect(found?.summary).toBe(summary)
    expect(found?.message).toMatch(message)
    const none = findConditions({ ...facts, pulls: [sampleNews({ pull })] })
    expect(none.conditions.map(({ key }) => key)).not.toContain('landing-failed')
    // What was asked is not forgotten with a new head: in the end a person hears of it.
    expect(none.resolved).not.toContain('landing-failed')
  })
})

describe('a request for changes without a comment', () => {
  const asking = (headSha: string, requests: string[], told?: string) =>
    findConditions({
      ...FACTS,
      status: 'changes_requested',
      pulls: [sampleNews({ pull: samplePull({ pr: PR, review: 'changes_requested', headSha }), requests })],
      told: told === undefined ? {} : { 'changes-requested': told },
    }).conditions[0]?.fingerprint

  it.each([
    ['named by the forge', ['r1']],
    ['of which only the decision is known', []],
  ])('%s is one, whatever is pushed meanwhile', (_what, requests) => {
    const first = asking('h1', requests)
    expect(asking('h2', requests, first)).toBe(first)
  })

  it('is another one when the reviewer asks again', () => {
    const first = asking('h1', ['r1'])
    expect(asking('h2', ['r2'], first)).not.toBe(first)
  })
})

it('a conflict inside the train is asked about once for each head and car, not again as a conflict, and escalates after the retries', () => {
  const rules = resolveRules({}, {})
  const ask = (headSha: string, memory: ReactionMemory) => {
    const landing = { why: 'conflict' as const, files: ['a.ts'], onto: { commit: `car of ${headSha}`, pulls: [5] } }
    const pulls = [sampleNews({ pull: samplePull({ pr: PR, headSha, hasConflicts: true }), landing })]
    const { conditions, resolved, calmed } = findConditions({ ...FACTS, status: 'approved', pulls })
    const answer = decideReactions({ conditions, resolved, calmed, memory, rules, progress: {}, now: 1_000 })
    const after = { ...answer.memory }
    for (const { condition } of answer.decisions) after[condition.key] = afterAct(after[condition.key]!, true, 1_000)
    return { after, kinds: answer.decisions.map(({ kind, condition }) => `${kind} ${condition.key}`) }
  }
  let memory: ReactionMemory = {}
  const kinds = ['h1', 'h1', 'h2', 'h3', 'h4'].map((head) => {
    const { after, kinds } = ask(head, memory)
    memory = after
    return kinds
  })
  expect(kinds).toEqual([['act landing-failed'], [], ['act landing-failed'], ['escalate landing-failed'], []])
})

describe.each([
  ['needs_input', 'agent-needs-input', 'waiting_input'],
  ['stuck', 'agent-stuck', 'idle'],
] as const)('a session that is %s', (status, key, state) => {
  it('is the same condition as long as its activity cannot be read, whatever the time', () => {
    expect(fingerprint({ status, now: 1_000 })).toBe(fingerprint({ status, now: 31_000 }))
  })

  it('is what was reported already when its activity can no longer be read', () => {
    const read = fingerprint({ status, activity: { state, at: 500 } })!
    expect(fingerprint({ status, told: { [key]: read }, now: 90_000 })).toBe(read)
  })

  it('is another one after another start, and when it was active in between', () => {
    const told = { [key]: fingerprint({ status })! }
    expect(fingerprint({ status, told, launch: 3 })).not.toBe(told[key])
    expect(fingerprint({ status, told, activity: { state, at: 700 } })).not.toBe(told[key])
  })
})

const found = (facts: Partial<ConditionFacts>) => findConditions({ ...FACTS, status: 'working', ...facts })
const over = { text: 'it has spent $5.00', action: 'stop' } as never
const fallback = { account: 'work', name: 'codex', why: 'codex has reached its limit', limit: null } as Fallback
const blocked = { state: 'blocked', at: 100 }

describe('an agent', () => {
  it.each<[string, Partial<ConditionFacts>, Partial<Condition>]>([
    [
      'that asks',
      { status: 'needs_input', question: 'May I?' },
      { key: 'agent-needs-input', summary: 'it asks: May I?' },
    ],
    [
      'that waits',
      { status: 'needs_input' },
      { summary: 'it waits for an answer', message: 'app-1: it waits for an answer' },
    ],
    [
      'that is silent',
      { status: 'stuck', activity: { state: 'idle', at: 7 } },
      { key: 'agent-stuck', fingerprint: '2 7', since: 7, message: expect.stringContaining('silent for a while') },
    ],
    ['that is gone', { status: 'killed' }, { key: 'agent-exited', fingerprint: '2' }],
    ['that could not start', { status: 'errored' }, { key: 'agent-exited', summary: 'its agent is no longer running' }],
    [
      'that finished',
      { finished: { expired: null }, activity: { state: 'ready', at: 7 } },
      { key: 'agent-idle', fingerprint: '2 7', summary: 'it finished a turn without a pull request' },
    ],
    [
      'that nobody answered',
      { finished: { expired: 'rm -r build' } },
      { key: 'agent-idle', summary: expect.stringMatching(/refused: rm -r build$/) },
    ],
    [
      'at its budget',
      { overBudget: { over, day: 'd' }, activity: { state: 'active', at: 1 } },
      { key: 'over-budget', action: 'stop' as never, summary: 'it has spent $5.00' },
    ],
    ['at its budget, and at rest', { overBudget: { over, day: 'd' } }, { key: 'over-budget', action: 'notify' }],
    [
      'with another account',
      { fallback },
      { key: 'limit-reached', action: 'switch-account', fallback, fingerprint: '2 work', summary: fallback.why },
    ],
    ['with its own account again', { fallback: { ...fallback, account: null } }, { fingerprint: '2 ' }],
    [
      'whose limit was reset',
      { limitResetsAt: 500, activity: blocked, now: 10_000_000 },
      {
        key: 'limit-reset',
        fingerprint: '2 500',
        since: 500,
        message: expect.stringContaining('Continue with your task'),
      },
    ],
  ])('%s calls for a reaction', (_which, facts, expected) => {
    const { conditions } = found(facts)
    expect(conditions).toHaveLength(1)
    expect(conditions[0]).toMatchObject(expected)
  })

  it.each<[string, Partial<ConditionFacts>]>([
    ['works', {}],
    ['is gone to another account', { status: 'merged', fallback }],
    ['is at its budget, and has ended', { status: 'done', overBudget: { over, day: 'd' } }],
    ['waits for its limit', { limitResetsAt: 20_000_000, activity: blocked, now: 10_000_000 }],
    [
      'works though its limit was reset',
      { limitResetsAt: 500, activity: { state: 'active', at: 100 }, now: 10_000_000 },
    ],
    ['has no limit', { activity: blocked, now: 10_000_000 }],
    ['collides with nobody', { collisions: [] }],
  ])('that %s calls for none', (_which, facts) => expect(found(facts).conditions).toEqual([]))

  it('that was ended to continue elsewhere is not gone', () => {
    expect(found({ status: 'killed', fallback }).conditions.map(({ key }) => key)).toEqual(['limit-reached'])
  })
})

describe('it is over', () => {
  it.each<[string, Partial<ConditionFacts>, string[], string[]]>([
    ['when it may spend again', { overBudget: null }, ['over-budget'], []],
    ['for nothing that is not known', {}, [], []],
    [
      'about a pull request that is merged',
      { told: { 'ci-failed u1': 'x', 'ci-failed u2': 'x' }, merged: ['u1'] },
      ['ci-failed u1'],
      [],
    ],
    [
      'when it works',
      { activity: { state: 'active', at: 1 } },
      [],
      ['agent-stuck', 'agent-needs-input', 'agent-idle', 'agent-exited', 'limit-reached', 'limit-reset'],
    ],
    ['when branches are apart', { collisions: [] }, [], ['collision']],
    [
      'when it has ended',
      { status: 'done', activity: { state: 'active', at: 1 } },
      [],
      ['agent-stuck', 'agent-needs-input', 'agent-idle', 'collision'],
    ],
  ])('%s', (_when, facts, resolved, calmed) => {
    expect(found(facts)).toMatchObject({ resolved, calmed })
  })

  it('once it is merged, everything, but nothing that still holds', () => {
    const { resolved } = found({ status: 'merged', told: { 'ci-failed u1': 'x' } })
    expect(resolved).toEqual(expect.arrayContaining(['ci-failed', 'agent-stuck', 'ci-failed u1']))
    expect(found({ status: 'stuck', activity: { state: 'active', at: 1 } }).calmed).not.toContain('agent-stuck')
  })
})
