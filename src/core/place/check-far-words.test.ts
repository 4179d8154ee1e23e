import { describe, expect, it } from 'vitest'
import { checkFact, checkInfo } from './check-far-words.ts'

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
    (said) => expect(checkFact(said)).toBeNull(),
  )

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
