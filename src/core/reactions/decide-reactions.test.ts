import { describe, expect, it } from 'vitest'
import type { Condition, ReactionKey, ReactionMemory, ReactionRule } from '../../contract/reactions.ts'
import { afterAct, decideReactions } from './decide-reactions.ts'
import { DEFAULT_REACTIONS, resolveRules } from './resolve-rules.ts'

const MINUTE = 60_000
const START = 1_000_000

function condition(key: ReactionKey, fingerprint = 'a', since = START): Condition {
  return { key, fingerprint, since, message: `about ${fingerprint}`, summary: fingerprint }
}

function rules(changes: Partial<Record<ReactionKey, Partial<ReactionRule>>> = {}): Record<ReactionKey, ReactionRule> {
  const all = resolveRules({}, {})
  for (const [key, change] of Object.entries(changes)) Object.assign(all[key as ReactionKey], change)
  return all
}

/** Plays ticks one after the other; every act succeeds unless said otherwise. */
function play() {
  let memory: ReactionMemory = {}
  return {
    tick(
      now: number,
      conditions: Condition[],
      options: { resolved?: ReactionKey[]; fails?: boolean; rules?: Record<ReactionKey, ReactionRule> } = {},
    ) {
      const answer = decideReactions({
        conditions,
        resolved: options.resolved ?? [],
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
    forget: () => {
      memory = JSON.parse(JSON.stringify(memory)) as ReactionMemory
    },
  }
}

describe('decideReactions', () => {
  it('S0.18 sends a CI failure to the agent once, and a new one again', () => {
    const loop = play()
    expect(loop.tick(START, [condition('ci-failed', 'sha1 test')])).toEqual(['send-to-agent sha1 test'])
    expect(loop.tick(START + MINUTE, [condition('ci-failed', 'sha1 test')])).toEqual([])
    expect(loop.tick(START + 2 * MINUTE, [condition('ci-failed', 'sha2 test')])).toEqual(['send-to-agent sha2 test'])
  })

  it('S0.19 tells the agent nothing when the reaction is off', () => {
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

  it('waits for the threshold', () => {
    const slow = rules({ 'agent-stuck': { thresholdMs: 10 * MINUTE } })
    const loop = play()
    expect(loop.tick(START + 9 * MINUTE, [condition('agent-stuck')], { rules: slow })).toEqual([])
    expect(loop.tick(START + 10 * MINUTE, [condition('agent-stuck')], { rules: slow })).toEqual(['notify a'])
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
