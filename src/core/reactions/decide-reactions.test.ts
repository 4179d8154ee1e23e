import { describe, expect, it } from 'vitest'
import { REACTION_KEYS } from '../../contract/config/reaction-keys.ts'
import type {
  Condition,
  ReactionKey,
  ReactionMemory,
  ReactionRecord,
  ReactionRule,
  WorkProgress,
} from '../../contract/reactions.ts'
import { afterAct, decideReactions, escalationOf } from './decide-reactions.ts'
import { DEFAULT_REACTIONS, resolveRules } from './resolve-rules.ts'

const MINUTE = 60_000
const START = 1_000_000

function condition(key: ReactionKey, fingerprint = 'a', since: number | null = START): Condition {
  return { key, memory: key, fingerprint, since, message: `about ${fingerprint}`, summary: fingerprint }
}

function rules(changes: Partial<Record<ReactionKey, Partial<ReactionRule>>> = {}): Record<ReactionKey, ReactionRule> {
  const all = resolveRules({}, {})
  for (const [key, change] of Object.entries(changes)) Object.assign(all[key as ReactionKey], change)
  return all
}

interface TickOptions {
  resolved?: ReactionKey[]
  calmed?: ReactionKey[]
  lapsed?: ReactionKey[]
  progress?: WorkProgress
  fails?: boolean
  rules?: Record<ReactionKey, ReactionRule>
}

/** Plays ticks one after the other; every act succeeds unless stated otherwise. */
function play() {
  let memory: ReactionMemory = {}
  return {
    tick(now: number, conditions: Condition[], options: TickOptions = {}) {
      const answer = decideReactions({
        conditions,
        resolved: options.resolved ?? [],
        calmed: options.calmed ?? [],
        lapsed: options.lapsed ?? [],
        progress: options.progress ?? { head: 'c1', pr: '', attendedAt: '' },
        memory,
        rules: options.rules ?? rules(),
        now,
      })
      memory = { ...answer.memory }
      for (const { condition } of answer.decisions) {
        memory[condition.key] = afterAct(memory[condition.key]!, options.fails !== true, now)
      }
      return answer.decisions.map((one) =>
        one.kind === 'act' ? `${one.action} ${one.condition.fingerprint}` : `escalate ${one.condition.fingerprint}`,
      )
    },
    forget: (change: (record: ReactionRecord) => void = () => undefined) => {
      memory = JSON.parse(JSON.stringify(memory)) as ReactionMemory
      for (const record of Object.values(memory)) change(record!)
    },
    states: () => Object.values(memory).map((record) => record?.state),
  }
}

describe('decideReactions', () => {
  it('S0.18 sends a CI failure to the agent once, and a new one again', () => {
    const loop = play()
    expect(loop.tick(START, [condition('ci-failed', 'sha1 test')])).toEqual(['send-to-agent sha1 test'])
    expect(loop.tick(START + MINUTE, [condition('ci-failed', 'sha1 test')])).toEqual([])
    expect(loop.tick(START + 2 * MINUTE, [condition('ci-failed', 'sha2 test')])).toEqual(['send-to-agent sha2 test'])
  })

  it('S0.19 sends the agent nothing when the reaction is off', () => {
    const off = rules({ 'ci-failed': { auto: false } })
    expect(play().tick(START, [condition('ci-failed')], { rules: off })).toEqual(['notify a'])
  })

  it('asks a human after the retries, once, and not before', () => {
    const loop = play()
    for (const [index, sha] of ['s1', 's2'].entries()) {
      expect(loop.tick(START + index, [condition('ci-failed', sha)])).toEqual([`send-to-agent ${sha}`])
    }
    expect(loop.tick(START + 3, [condition('ci-failed', 's3')])).toEqual(['escalate s3'])
    expect(loop.tick(START + 4, [condition('ci-failed', 's3')])).toEqual([])
    expect(loop.tick(START + 5, [condition('ci-failed', 's4')])).toEqual([])
  })

  it('calls a person again for every new remark, and not because one was resolved', () => {
    const loop = play()
    const strict = { rules: rules({ 'changes-requested': { retries: 1 } }) }
    const told = ['r1', 'r1 r2', 'r1 r2', 'r1 r2 r3', 'r1 r3', 'r3 r4'].map((remarks, minute) =>
      loop.tick(START + minute * MINUTE, [condition('changes-requested', remarks)], strict).join(),
    )
    expect(told).toEqual(['send-to-agent r1', 'escalate r1 r2', '', 'escalate r1 r2 r3', '', 'escalate r3 r4'])
  })

  it('names each call for new remarks differently, so that none is taken for one that was sent', () => {
    const record = { firstAt: START } as ReactionRecord
    const names = (key: ReactionKey) => ['r1 r2', 'r1 r2 r3'].map((one) => escalationOf(condition(key, one), record))
    expect(new Set(names('changes-requested')).size).toBe(2)
    expect(new Set(names('bugbot-comments')).size).toBe(2)
    expect(new Set(names('ci-failed')).size).toBe(1)
  })

  it('starts counting anew once CI passed', () => {
    const loop = play()
    loop.tick(START, [condition('ci-failed', 's1')])
    loop.tick(START + 1, [condition('ci-failed', 's2')])
    loop.tick(START + 2, [], { resolved: ['ci-failed'] })
    expect(loop.tick(START + 3, [condition('ci-failed', 's3')])).toEqual(['send-to-agent s3'])
  })

  it('does not start anew because CI is merely not seen', () => {
    const loop = play()
    loop.tick(START, [condition('ci-failed', 's1')])
    loop.tick(START + 1, [])
    expect(loop.tick(START + 2, [condition('ci-failed', 's1')])).toEqual([])
  })

  it('escalates after the configured time even when nothing new happens', () => {
    const loop = play()
    loop.tick(START, [condition('changes-requested')])
    expect(loop.tick(START + 29 * MINUTE, [condition('changes-requested')])).toEqual([])
    expect(loop.tick(START + 30 * MINUTE, [condition('changes-requested')])).toEqual(['escalate a'])
    expect(loop.tick(START + 31 * MINUTE, [condition('changes-requested')])).toEqual([])
  })

  it('tries again what was not delivered, later, as the same attempt', () => {
    const loop = play()
    expect(loop.tick(START, [condition('ci-failed')], { fails: true })).toEqual(['send-to-agent a'])
    expect(loop.tick(START + 1_000, [condition('ci-failed')])).toEqual([])
    expect(loop.tick(START + MINUTE, [condition('ci-failed')])).toEqual(['send-to-agent a'])
    expect(loop.tick(START + 2 * MINUTE, [condition('ci-failed')])).toEqual([])
  })

  it('remembers over a restart', () => {
    const loop = play()
    loop.tick(START, [condition('ci-failed')])
    loop.forget()
    expect(loop.tick(START + MINUTE, [condition('ci-failed')])).toEqual([])
  })

  it('S0.27 only notifies of what is ready to merge unless merging is automatic', () => {
    expect(play().tick(START, [condition('approved-and-green')])).toEqual(['notify a'])
  })

  it('S0.28 merges when it is', () => {
    const on = rules({ 'approved-and-green': { auto: true } })
    expect(play().tick(START, [condition('approved-and-green')], { rules: on })).toEqual(['auto-merge a'])
  })

  it.each([
    ['S0.40', 'send-to-agent'],
    ['S0.41', 'notify'],
    ['S0.42', 'restart-agent'],
  ] as const)('%s can answer a stuck agent with %s', (_id, action) => {
    const chosen = rules({ 'agent-stuck': { action } })
    expect(play().tick(START, [condition('agent-stuck')], { rules: chosen })).toEqual([`${action} a`])
  })

  it.each(REACTION_KEYS)(
    'waits for the threshold of %s from when it was first seen, where the facts do not say',
    (key) => {
      const slow = rules({ [key]: { auto: true, action: 'notify', thresholdMs: 10 * MINUTE } })
      const loop = play()
      const at = (minutes: number, fingerprint = 'a', options: TickOptions = {}) =>
        loop.tick(START + minutes * MINUTE, [condition(key, fingerprint, null)], { rules: slow, ...options })
      expect(at(0)).toEqual([])
      // It still counts after a restart, and while more of the same comes in.
      loop.forget()
      expect(at(9, 'a b')).toEqual([])
      expect(at(10, 'a b', { fails: true })).toEqual(['notify a b'])
      // What failed is tried again without waiting for a second threshold.
      expect(at(16, 'a b')).toEqual(['notify a b'])
      expect(at(17, 'a b')).toEqual([])
      // Something new waits for its own.
      expect([at(30, 'a b c'), at(39, 'a b c'), at(40, 'a b c')]).toEqual([[], [], ['notify a b c']])
      // What is over, or calm, counts anew.
      for (const over of [{ resolved: [key] }, { calmed: [key] }]) {
        expect(at(100, 'd')).toEqual([])
        expect(loop.tick(START + 105 * MINUTE, [], { rules: slow, ...over })).toEqual([])
        expect(at(111, 'd')).toEqual([])
        loop.tick(START + 112 * MINUTE, [], { rules: slow, ...over })
      }
    },
  )

  it('waits for the threshold', () => {
    const slow = rules({ 'agent-stuck': { thresholdMs: 10 * MINUTE } })
    const loop = play()
    expect(loop.tick(START + 9 * MINUTE, [condition('agent-stuck')], { rules: slow })).toEqual([])
    expect(loop.tick(START + 10 * MINUTE, [condition('agent-stuck')], { rules: slow })).toEqual(['notify a'])
  })
})

describe('an agent that falls silent again and again', () => {
  const progress = (change: WorkProgress = {}): WorkProgress => ({ head: 'c1', pr: '', attendedAt: '', ...change })

  /** Silence, the act, a reply, silence: what a nudged agent does that has nothing to say. */
  function silences(action: ReactionRule['action'], change: Partial<ReactionRule> = {}) {
    const loop = play()
    const chosen = rules({ 'agent-stuck': { action, ...change } })
    let at = START
    return (times: number, now?: WorkProgress) => {
      const done: string[] = []
      for (let round = 0; round < times; round++) {
        at += MINUTE
        const options = { rules: chosen, progress: now ?? progress() }
        done.push(...loop.tick(at, [condition('agent-stuck', `at ${at}`, at)], options))
        loop.forget()
        loop.tick(at + 1, [], { ...options, calmed: ['agent-stuck'] })
      }
      return done.map((one) => one.split(' ')[0])
    }
  }

  it.each(['send-to-agent', 'restart-agent'] as const)(
    '%s ends after two times, and a person is called once',
    (action) => {
      expect(silences(action)(20)).toEqual([action, action, 'escalate'])
    },
  )

  it.each([
    ['retries: 4', { retries: 4 }, 4],
    ['retries: 0', { retries: 0 }, 0],
    ['escalateAfter: 1', { retries: undefined, escalateAfterAttempts: 1 }, 1],
    ['escalateAfter: 5m', { retries: undefined, escalateAfterMs: 5 * MINUTE }, 5],
    ['no limit at all', { retries: undefined }, 20],
  ] as const)('%s holds', (_what, change, acts) => {
    const expected = [...Array<string>(acts).fill('send-to-agent'), ...(acts < 20 ? ['escalate'] : [])]
    expect(silences('send-to-agent', change)(20)).toEqual(expected)
  })

  it('notifies of every silence as long as that is all it does', () => {
    expect(silences('notify')(5)).toEqual(Array<string>(5).fill('notify'))
  })

  it.each<[string, WorkProgress]>([
    ['a commit', { head: 'c2' }],
    ['a pull request or a verdict on it', { pr: 'https://example.invalid/pull/1 c2 failing none' }],
    ['a person who said something', { attendedAt: '2026-01-01T00:00:00Z' }],
  ])('starts counting anew after %s', (_what, change) => {
    const loop = silences('send-to-agent')
    expect(loop(5)).toEqual(['send-to-agent', 'send-to-agent', 'escalate'])
    expect(loop(5, progress(change))).toEqual(['send-to-agent', 'send-to-agent', 'escalate'])
  })

  it('takes what it cannot read for no progress', () => {
    const loop = silences('send-to-agent')
    expect(loop(2)).toHaveLength(2)
    expect(loop(5, {})).toEqual(['escalate'])
    expect(loop(5)).toEqual([])
  })

  it('says nothing again about a silence that lasts while CI says something', () => {
    const loop = play()
    const nudge = rules({ 'agent-stuck': { action: 'send-to-agent' } })
    expect(loop.tick(START, [condition('agent-stuck')], { rules: nudge })).toEqual(['send-to-agent a'])
    const options = { rules: nudge, progress: progress({ pr: 'failing' }) }
    expect(loop.tick(START + MINUTE, [condition('agent-stuck')], options)).toEqual([])
  })

  it('drops what it could not do before the agent worked again', () => {
    const loop = play()
    const nudge = rules({ 'agent-stuck': { action: 'send-to-agent' } })
    loop.tick(START, [condition('agent-stuck')], { rules: nudge, fails: true })
    loop.tick(START + MINUTE, [], { rules: nudge, calmed: ['agent-stuck'] })
    expect(loop.states()).toEqual(['dropped'])
  })
})

describe('switching a reaction on', () => {
  it.each(['approved-and-green', 'ci-failed', 'changes-requested', 'agent-stuck'] as const)(
    'S0.28 carries out what a person was only notified of: %s, also over a restart, and once',
    (key) => {
      const loop = play()
      const action = key === 'approved-and-green' ? 'auto-merge' : 'send-to-agent'
      const [off, on] = [false, true].map((auto) => rules({ [key]: { auto, action } }))
      expect(loop.tick(START, [condition(key)], { rules: off! })).toEqual(['notify a'])
      loop.forget()
      expect(loop.tick(START + MINUTE, [condition(key)], { rules: on! })).toEqual([`${action} a`])
      expect(loop.tick(START + 2 * MINUTE, [condition(key)], { rules: on! })).toEqual([])
    },
  )

  it('S0.28 merges what an earlier version notified about, whose memory does not say how', () => {
    const loop = play()
    loop.tick(START, [condition('approved-and-green')])
    loop.forget((record) => {
      delete record.action
      delete record.heard
    })
    const on = rules({ 'approved-and-green': { auto: true } })
    expect(loop.tick(START + MINUTE, [condition('approved-and-green')], { rules: on })).toEqual(['auto-merge a'])
  })
})

describe('resolveRules', () => {
  it('merges project over global over defaults, value by value', () => {
    const resolved = resolveRules(
      { reactions: { 'ci-failed': { retries: 5, message: 'global' } } },
      { reactions: { 'ci-failed': { message: 'project' } } },
    )
    expect(resolved['ci-failed']).toMatchObject({
      retries: 5,
      message: 'project',
      action: DEFAULT_REACTIONS['ci-failed'].action,
    })
  })

  it('reads escalateAfter as attempts or as time', () => {
    const { 'ci-failed': ci, 'agent-stuck': stuck } = resolveRules(
      { reactions: { 'ci-failed': { escalateAfter: 3 }, 'agent-stuck': { escalateAfter: '2h', threshold: '10m' } } },
      {},
    )
    expect(ci.escalateAfterAttempts).toBe(3)
    expect(stuck).toMatchObject({ escalateAfterMs: 7_200_000, thresholdMs: 600_000 })
  })
})

describe('what is remembered', () => {
  const record: ReactionRecord = {
    ...{
      fingerprint: 'a',
      attempts: 1,
      firstAt: START,
      lastAt: START,
      state: 'intended',
      retryAt: 0,
      escalated: false,
      told: '',
    },
  }

  it.each<[string, Partial<ReactionRecord>, boolean, number, Partial<ReactionRecord>]>([
    [
      'an agent that was told',
      { action: 'send-to-agent', failures: 2 },
      true,
      5,
      { state: 'done', told: 'a', heard: 'a', retryAt: 0 },
    ],
    ['a person who was notified', { action: 'notify', heard: 'b' }, true, 5, { state: 'done', told: 'a', heard: 'b' }],
    ['a person who was notified first', { action: 'notify' }, true, 5, { heard: '' }],
    ['an escalation', { escalating: true, told: 'b' }, true, 5, { state: 'done', escalated: true, told: 'b' }],
    ['a failure', {}, false, 0, { state: 'failed', failures: 1, retryAt: START + 10_000 }],
    ['a failure after a while', { failures: 1 }, false, 60_000, { failures: 2, retryAt: START + 60_000 + 120_000 }],
    [
      'a failure after a long while',
      { failures: 4 },
      false,
      3_600_000,
      { failures: 5, retryAt: START + 3_600_000 + 300_000 },
    ],
  ])('of %s', (_what, before, succeeded, after, expected) => {
    const kept = afterAct({ ...record, ...before }, succeeded, START + after)
    expect(kept).toMatchObject(expected)
    expect(kept).not.toHaveProperty('escalating')
    if (succeeded) expect(kept).not.toHaveProperty('failures')
  })

  it.each([
    ['ci-failed', 'send-to-agent', 2, 'the agent was asked once'],
    ['ci-failed', 'send-to-agent', 3, 'the agent was asked 2 times'],
    ['agent-exited', 'restart-agent', 3, 'it was restarted 2 times in vain'],
    ['limit-reached', 'switch-account', 3, 'it was continued with another account 2 times'],
    ['review', 'review', 3, 'it was reviewed 2 times'],
  ] as const)('decides when a person must help: %s by %s', (key, action, attempts, reason) => {
    const memory = {
      [key]: { ...record, fingerprint: 'older', state: 'done', attempts: attempts - 1 },
    } as ReactionMemory
    const question = { conditions: [condition(key)], resolved: [], calmed: [], progress: {}, memory, now: START }
    const answer = decideReactions({
      ...question,
      rules: rules({ [key]: { auto: true, action, retries: attempts - 1 } }),
    })
    expect(answer.decisions).toMatchObject([{ kind: 'escalate', reason }])
    expect(answer.memory[key]).toMatchObject({ attempts, state: 'intended', escalating: true })
  })

  it('tells a person of an agent that cannot be reached, and of what lasts', () => {
    const ask = (before: Partial<ReactionRecord>, rule: Partial<ReactionRule>) =>
      decideReactions({
        ...{ conditions: [condition('ci-failed')], resolved: [], calmed: [], progress: {}, now: START + 30 * MINUTE },
        memory: { 'ci-failed': { ...record, ...before } },
        rules: rules({ 'ci-failed': rule }),
      }).decisions
    expect(ask({ state: 'failed', failures: 5 }, {})).toMatchObject([
      { kind: 'escalate', reason: 'send-to-agent failed 5 times' },
    ])
    expect(ask({ state: 'failed', failures: 4 }, {})).toMatchObject([{ kind: 'act', attempt: 1 }])
    const lasting = { escalateAfterMs: 30 * MINUTE }
    expect(ask({ state: 'done' }, lasting)).toMatchObject([
      { kind: 'escalate', reason: 'it began more than 30 minutes ago' },
    ])
    expect(ask({ state: 'done' }, { escalateAfterMs: 30 * MINUTE + 1 })).toEqual([])
    expect(ask({ state: 'done', escalated: true }, lasting)).toEqual([])
  })

  it('of a reaction that is off, or whose occasion is over, is dropped', () => {
    const drop = (before: Partial<ReactionRecord>, calmed: ReactionKey[] = []) =>
      decideReactions({
        ...{
          conditions: calmed.length > 0 ? [] : [condition('agent-stuck')],
          resolved: [],
          calmed,
          progress: {},
          now: START,
        },
        memory: { 'agent-stuck': { ...record, ...before } },
        rules: rules({ 'agent-stuck': { auto: false, action: 'notify' } }),
      }).memory['agent-stuck']
    expect(drop({ waitingSince: START, state: 'dropped' })).not.toHaveProperty('waitingSince')
    expect(drop({ state: 'failed', failures: 3, retryAt: 9 }, ['agent-stuck'])).toMatchObject({
      state: 'dropped',
      retryAt: 0,
    })
    expect(drop({ state: 'failed', failures: 3 }, ['agent-stuck'])).not.toHaveProperty('failures')
    expect(drop({ state: 'done', retryAt: 9 }, ['agent-stuck'])).toMatchObject({ state: 'done', retryAt: 9 })
    expect(drop({ state: 'failed', retryAt: 9 })).toMatchObject({ state: 'failed', retryAt: 9 })
  })
})

describe('a conflict that goes away for a moment', () => {
  const conflict = (...heads: string[]) => [condition('merge-conflicts', [...heads, 'conflicts'].join(' '), null)]
  const lapsed = { lapsed: ['merge-conflicts' as const] }

  it('is not reported again when the agent returns to its old head, and a person hears of it in the end', () => {
    const { tick } = play()
    expect(tick(START, conflict('a'))).toEqual(['send-to-agent a conflicts'])
    for (let minute = 1; minute < 15; minute += 2) {
      expect(tick(START + minute * MINUTE, [], lapsed)).toEqual([])
      expect(tick(START + (minute + 1) * MINUTE, conflict('a'))).toEqual([])
    }
    expect(tick(START + 15 * MINUTE, conflict('a'))).toEqual(['escalate a conflicts'])
    expect(tick(START + 16 * MINUTE, [], lapsed)).toEqual([])
    expect(tick(START + 17 * MINUTE, conflict('a'))).toEqual([])
  })

  it('is reported for every new head, and counted: after the last retry a person is called instead', () => {
    const { tick } = play()
    const said = ['a', 'b', 'c', 'd', 'e'].flatMap((_head, index, all) => {
      const decided = tick(START + index * 2 * MINUTE, conflict(...all.slice(0, Math.min(index, 3)), all[index]!))
      tick(START + (index * 2 + 1) * MINUTE, [], lapsed)
      return decided
    })
    expect(said).toEqual([
      'send-to-agent a conflicts',
      'send-to-agent a b conflicts',
      'send-to-agent a b c conflicts',
      'escalate a b c d conflicts',
      'escalate a b c e conflicts',
    ])
  })

  it('counts its time anew after each of them: slow checks are no reason to call a person', () => {
    const { tick } = play()
    tick(START, conflict('a'))
    tick(START + MINUTE, [], lapsed)
    expect(tick(START + 20 * MINUTE, conflict('a', 'b'))).toEqual(['send-to-agent a b conflicts'])
    expect(tick(START + 34 * MINUTE, conflict('a', 'b'))).toEqual([])
    expect(tick(START + 35 * MINUTE, conflict('a', 'b'))).toEqual(['escalate a b conflicts'])
  })

  it('calls a person again for one that nobody else has heard of', () => {
    const { tick } = play()
    const rule = { rules: rules({ 'merge-conflicts': { retries: 0 } }) }
    expect(tick(START, conflict('a'), rule)).toEqual(['escalate a conflicts'])
    tick(START + MINUTE, [], { ...lapsed, ...rule })
    expect(tick(START + 2 * MINUTE, conflict('a'), rule)).toEqual(['escalate a conflicts'])
  })

  it('starts over once a head was green', () => {
    const { tick } = play()
    tick(START, conflict('a'))
    tick(START + MINUTE, [], { resolved: ['merge-conflicts'] })
    expect(tick(START + 2 * MINUTE, conflict('a'))).toEqual(['send-to-agent a conflicts'])
  })
})
