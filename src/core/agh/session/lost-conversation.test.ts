import { describe, expect, it } from 'vitest'
import { isLostConversation } from './lost-conversation.ts'

describe('isLostConversation', () => {
  it.each([
    ['codex', { code: -32_603, message: 'Internal error', data: { details: 'thread not found: 0199a7' } }],
    ['gemini', { code: -32_603, message: 'Internal error', data: 'Invalid session identifier "d3f1"' }],
    ['claude', { code: -32_603, message: 'No conversation found with session ID: d3f1' }],
    ['others', { code: -32_000, message: 'Session d3f1 does not exist' }],
  ])('knows the words of %s', (_agent, error) => {
    expect(isLostConversation(error, false)).toBe(true)
  })

  it.each([
    [{ code: -32_002, message: 'Resource not found: a.txt' }],
    [{ code: -32_603, message: 'model not found' }],
    [{ code: -32_603, message: 'the session limit is reached' }],
    [{ code: 429, message: 'rate limited' }],
  ])('takes %j of a prompt for something else', (error) => {
    expect(isLostConversation(error, false)).toBe(false)
  })

  it('takes a resource that is not found while loading for the conversation', () => {
    expect(isLostConversation({ code: -32_002, message: 'Resource not found' }, true)).toBe(true)
  })
})
