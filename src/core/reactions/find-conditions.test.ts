import { describe, expect, it } from 'vitest'
import type { ReactionMemory } from '../../contract/reactions.ts'
import { ANY_FORGE } from '../prompt/hand-in.ts'
import { afterAct, decideReactions } from './decide-reactions.ts'
import { type ConditionFacts, findConditions } from './find-conditions.ts'
import { resolveRules } from './resolve-rules.ts'

const FACTS: ConditionFacts = {
  sessionId: 'app-1',
  status: 'needs_input',
  launch: 2,
  activity: null,
  pr: null,
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

const OPEN_PR = {
  url: 'u',
  number: 6,
  state: 'open' as const,
  headSha: 'h',
  ci: 'passing' as const,
  review: 'approved' as const,
  failedChecks: [],
  remarks: [],
  requests: [],
  hasConflicts: false,
}

describe('a pull request that left the train', () => {
  const pr = OPEN_PR
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
    const facts = { ...FACTS, status: 'approved' as const, pr: { ...pr, landing } }
    const found = findConditions(facts).conditions.find(({ key }) => key === 'landing-failed')
    expect(found?.summary).toBe(summary)
    expect(found?.message).toMatch(message)
    const none = findConditions({ ...facts, pr: { ...pr, landing: null } })
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
      pr: { ...OPEN_PR, review: 'changes_requested', headSha, requests },
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
    const pr = { ...OPEN_PR, headSha, hasConflicts: true, landing }
    const { conditions, resolved, calmed } = findConditions({ ...FACTS, status: 'approved', pr })
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
