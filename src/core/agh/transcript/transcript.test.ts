import { describe, expect, it } from 'vitest'
import { type EventType, type SessionEvent, toSessionEvent } from '../../../contract/agh/events.ts'
import { emptyTranscript, foldEvent, type Transcript } from './transcript.ts'

const event = (sequence: number, type: EventType, content: Record<string, unknown>, turn = 't1'): SessionEvent =>
  toSessionEvent('s', {
    sequence,
    turn_id: turn,
    type,
    timestamp: '2026-01-01T00:00:00.000Z',
    content: JSON.stringify(content),
  })
const chunk = (text: string) => ({ content: { type: 'text', text } })
const question = { request_id: 'perm-1', title: 'may I', kind: 'edit', options: [], tool_call: { toolCallId: 'c' } }

function fold(...events: SessionEvent[]): Transcript {
  const transcript = emptyTranscript()
  for (const one of events) foldEvent(transcript, one)
  return transcript
}

describe('the transcript', () => {
  it('gives a tool call its diffs, places and output, under one id that stays', () => {
    const diff = { type: 'diff', path: '/x', oldText: 'a', newText: 'b' }
    const printed = { type: 'content', content: { type: 'text', text: 'done' } }
    const { messages } = fold(
      event(1, 'tool_call', { toolCallId: 'c', title: 'Edit x', kind: 'edit', status: 'pending' }),
      event(2, 'agent_message', chunk('meanwhile')),
      event(3, 'tool_result', {
        toolCallId: 'c',
        status: 'completed',
        content: [diff, printed],
        locations: [{ path: '/x', line: 3 }],
      }),
    )
    expect(messages).toHaveLength(2)
    expect(messages[0]).toMatchObject({
      id: 'm1',
      sequence: 1,
      last_sequence: 3,
      role: 'tool',
      text: 'Edit x',
      kind: 'edit',
      status: 'completed',
      diffs: [{ path: '/x', old_text: 'a', new_text: 'b' }],
      locations: [{ path: '/x', line: 3 }],
      output: 'done',
    })
  })

  it('joins a question with its answer, and does not mix it with the same id of the next life', () => {
    const answer = (decision: string) => ({ request_id: 'perm-1', decision, decided_by: 'user' })
    const { messages } = fold(
      event(1, 'permission', { ...question, decision: null }),
      event(2, 'permission', answer('allow-once')),
      event(3, 'permission', { ...question, decision: null }, 't2'),
    )
    expect(messages).toMatchObject([
      { id: 'm1', status: 'allowed', decision: 'allow-once', decided_by: 'user', tool_call_id: 'c' },
      { id: 'm3', status: 'pending', decision: null },
    ])
  })

  it('does not break a sentence at a word on usage, and keeps the newest of a turn', () => {
    const { messages } = fold(
      event(1, 'agent_message', chunk('Hel')),
      event(2, 'usage', { used: 10, size: 100 }),
      event(3, 'agent_message', chunk('lo')),
      event(4, 'usage', { used: 12, size: 100, cost: { amount: 0.5, currency: 'USD' } }),
      event(5, 'done', { stop_reason: 'end_turn', usage: { inputTokens: 3, outputTokens: 4, cachedReadTokens: 5 } }),
    )
    expect(messages).toMatchObject([
      { role: 'assistant', text: 'Hello', last_sequence: 3 },
      { role: 'usage', used: 12, cost: { amount: 0.5, currency: 'USD' } },
      { role: 'turn_end', stop_reason: 'end_turn', tokens: { input: 3, output: 4, cache_read: 5, cache_write: 0 } },
    ])
  })

  it('passes over an event that it was given before', () => {
    const transcript = fold(event(1, 'agent_message', chunk('one')))
    expect(foldEvent(transcript, event(1, 'agent_message', chunk('one')))).toBeNull()
    expect(transcript.messages[0]?.text).toBe('one')
  })

  it('keeps what is not text beside the text, and plans with their entries', () => {
    const { messages } = fold(
      event(1, 'agent_message', { content: { type: 'image', mimeType: 'image/png', data: 'aGk=' } }),
      event(2, 'plan', { entries: [{ content: 'first', priority: 'high', status: 'pending' }] }),
    )
    expect(messages).toMatchObject([
      { attachments: [{ type: 'image', mime_type: 'image/png' }] },
      { role: 'plan', entries: [{ content: 'first', priority: 'high', status: 'pending' }] },
    ])
  })
})
