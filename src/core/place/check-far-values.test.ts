import { describe, expect, it } from 'vitest'
import { checkFact, checkGateEnd, checkInfo } from './check-far-values.ts'

describe('the words of a host that may be the agent’s own', () => {
  const ask = { n: 3, type: 'ask', id: 'a-1', tool: 'gh', argv: ['pr', 'view'], cwd: '/x' }

  it('pass when they make sense', () => {
    expect(checkFact(ask)).toEqual({ type: 'ask', n: 3, id: 'a-1', tool: 'gh', argv: ['pr', 'view'] })
    expect(checkFact({ n: 1, type: 'launched', pid: 5 })).toEqual({ type: 'other', n: 1 })
    expect(checkFact({ n: 2, type: 'exit', exitCode: 7, signal: null, screen: 'bye' })).toMatchObject({ exitCode: 7 })
  })

  it.each([
    ['a tool that is a path', { ...ask, tool: '../../../bin/sh' }],
    ['a tool that nobody knows', { ...ask, tool: 'rm' }],
    ['words that are not text', { ...ask, argv: ['pr', { toString: 'x' }] }],
    ['words with a NUL', { ...ask, argv: ['pr\0'] }],
    ['no list of words', { ...ask, argv: 'pr view' }],
    ['an id that is not one', { ...ask, id: 'x&id=y' }],
  ])('are read past: %s', (_what, fact) => expect(checkFact(fact)).toEqual({ type: 'other', n: 3 }))

  it.each([[null], ['x'], [[]], [{}], [{ n: 'x' }], [{ n: 1e99 }], [{ n: -1, type: 'exit' }]])(
    'are no fact: %j',
    (value) => expect(checkFact(value)).toBeNull(),
  )

  const end = { kind: 'passed', exitCode: 0, why: 'exited with 0', logBytes: 7 }
  it.each<[string, unknown, unknown]>([
    ['passed', end, end],
    ['failed', { ...end, kind: 'failed', exitCode: null }, { ...end, kind: 'failed', exitCode: null }],
    ['passed with another exit code', { ...end, exitCode: 1 }, null],
    ['passed without an exit code', { ...end, exitCode: null }, null],
    ['a word that nobody knows', { ...end, kind: 'green' }, null],
    ['a log that cannot have this size', { ...end, logBytes: -1 }, null],
    ['no reason', { ...end, why: 5 }, null],
    ['nothing', null, null],
  ])('say how a gate ended, or nothing: %s', (_what, value, expected) => expect(checkGateEnd(value)).toEqual(expected))

  it('become an agent’s info with the types that are expected', () => {
    expect(
      checkInfo({ summary: 5, agentSessionId: '--danger', cost: { inputTokens: '9e9', outputTokens: -3 } }),
    ).toEqual({
      summary: null,
      summaryIsFallback: undefined,
      agentSessionId: null,
      model: undefined,
      lastMessage: undefined,
      cost: { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, estimatedCostUsd: null },
    })
    expect(checkInfo({ summary: 'Works', agentSessionId: 'a2a9-1' })).toMatchObject({ agentSessionId: 'a2a9-1' })
    expect(checkInfo('x')).toBeNull()
  })
})
