import { describe, expect, it } from 'vitest'
import type { EventRow, EventType } from '../../../contract/agh/events.ts'
import { EMPTY_DIGEST, foldDigest } from './digest.ts'

const row = (type: EventType, content: object, turn = 't1'): EventRow => ({
  sequence: 1,
  turn_id: turn,
  type,
  timestamp: '2026-01-01T00:00:00.000Z',
  content: JSON.stringify(content),
})
const chunk = (text: string) => ({ content: { type: 'text', text } })
const cost = (amount: number) => row('usage', { used: 1, size: 2, cost: { amount, currency: 'USD' } })
const fold = (...rows: EventRow[]) => rows.reduce(foldDigest, EMPTY_DIGEST)

describe('the digest of a driven session', () => {
  it('keeps the first prompt and the last words', () => {
    const digest = fold(
      row('user_message', { text: 'first' }),
      row('agent_message', chunk('one')),
      row('user_message', { text: 'second' }, 't2'),
      row('agent_message', chunk('Hel'), 't2'),
      row('agent_message', chunk('lo'), 't2'),
    )
    expect(digest).toMatchObject({ first_prompt: 'first', last_message: 'Hello' })
  })

  it('adds the tokens of turns, and reports none where no agent reported any', () => {
    const done = row('done', { usage: { inputTokens: 10, outputTokens: 5, cachedReadTokens: 3 } })
    expect(fold(done, done).tokens).toEqual({ input: 20, output: 10, cache_read: 6, cache_write: 0 })
    expect(fold(row('done', { usage: null }))).toMatchObject({ tokens: null, cost: null })
  })

  it('takes a cost that falls for that of another process, and adds it to the earlier one', () => {
    expect(fold(cost(0.5), cost(0.75)).cost).toEqual({ earlier_usd: 0, current_usd: 0.75 })
    expect(fold(cost(0.75), cost(0.25)).cost).toEqual({ earlier_usd: 0.75, current_usd: 0.25 })
    expect(fold(row('usage', { cost: { amount: 1, currency: 'EUR' } })).cost).toBeNull()
  })

  it('knows whether the last turn failed, until another one is asked for', () => {
    expect(fold(row('error', { error: 'x' }))).toMatchObject({ last_turn_failed: true, last_error: 'x' })
    expect(fold(row('error', { error: 'x' }), row('user_message', { text: 'again' })).last_turn_failed).toBe(false)
  })

  it('keeps what nobody answered in time, until the next prompt', () => {
    const input = { kind: 'command', text: 'rm -rf build', differs: true }
    const expired = row('permission', { title: 'Clean up', decision: 'reject-once', decided_by: 'expired', input })
    const text = 'rm -rf build (the agent calls it: Clean up)'
    expect(fold(expired).expired).toEqual({ text, at: '2026-01-01T00:00:00.000Z' })
    expect(fold(expired, row('user_message', { text: 'go on' })).expired).toBe(null)
    expect(fold(row('permission', { title: 'x', decision: 'reject-once', decided_by: 'user' })).expired).toBeUndefined()
  })

  it('takes the words of an error from the last message where the agent says them there', () => {
    const result = row('agent_message', { content: { type: 'text', text: 'Rate limited\n\n' } })
    const failed = row('error', { error: 'the agent reports an error' })
    expect(fold(result, failed).last_error).toBe('the agent reports an error: Rate limited')
    expect(fold(failed).last_error).toBe('the agent reports an error')
    expect(fold(result, row('error', { error: 'the connection was lost' })).last_error).toBe('the connection was lost')
  })
})
