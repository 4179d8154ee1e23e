import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type EventType, toSessionEvent } from '../../../contract/agh/events.ts'
import { attachmentOf, changedPart, changesOf, diffsOf, imagesIn, locationsOf, outputOf } from './read-content.ts'
import { emptyTranscript, foldEvent, tokensOf } from './transcript.ts'

const text = (value: unknown) => ({ type: 'content', content: { type: 'text', text: value } })

describe('of what an agent sends, only what makes sense is taken', () => {
  it('as diffs', () => {
    const odd = [
      null,
      'x',
      { type: 'content' },
      { type: 'diff' },
      { type: 'diff', path: 'a', oldText: 7, newText: 'n' },
    ]
    expect(diffsOf(odd)).toEqual([
      { path: '', old_text: null, new_text: '' },
      { path: 'a', old_text: null, new_text: 'n' },
    ])
    expect([changesOf(null), changesOf({ content: 'x' }), changesOf({ content: [text('x')] })]).toEqual([{}, {}, {}])
  })

  it('as changes that fit into a question', () => {
    const change = (length: number) => changesOf({ content: [{ type: 'diff', path: '', newText: 'x'.repeat(length) }] })
    const rest = JSON.stringify([{ path: '', old_text: null, new_text: '' }]).length
    expect(change(64 * 1024 - rest).diffs).toHaveLength(1)
    expect(change(64 * 1024 - rest + 1)).toEqual({ diffs_omitted: true })
  })

  it('as output, of which the end counts', () => {
    const odd = [
      null,
      { type: 'content' },
      { type: 'diff', content: { type: 'text', text: 'x' } },
      text(7),
      { type: 'content', content: { type: 'image', text: 'x' } },
    ]
    expect(outputOf([...odd, text('one'), text('two')])).toBe('one\ntwo')
    expect(outputOf([text(`a${'x'.repeat(64 * 1024)}`)])).toBe('x'.repeat(64 * 1024))
  })

  it('as locations', () => {
    expect(locationsOf([null, { path: 'a', line: 3 }, { line: '3' }])).toEqual([
      { path: 'a', line: 3 },
      { path: '', line: null },
    ])
  })

  it('as pictures', () => {
    const picture = { type: 'image', data: 'aGk=' }
    expect(imagesIn({ content: picture })).toEqual(['aGk='])
    expect(
      imagesIn({
        content: [
          { type: 'content', content: picture },
          { type: 'diff', content: picture },
          null,
          { type: 'content', content: { type: 'image', data: 7 } },
        ],
      }),
    ).toEqual(['aGk='])
    expect([imagesIn(null), imagesIn({}), imagesIn({ content: { type: 'audio', data: 'x' } })]).toEqual([[], [], []])
  })

  it('as attachments', () => {
    expect(attachmentOf({ type: 'image', mimeType: 'image/png', data: 'x', name: 'n', uri: 'u' }, 4)).toEqual({
      ...{ type: 'image', mime_type: 'image/png', uri: 'u', name: 'n', image: { sequence: 4, index: 0 } },
    })
    expect(attachmentOf({ type: 'resource', resource: { mimeType: 'm', uri: 'u' } }, 4)).toEqual({
      ...{ type: 'resource', mime_type: 'm', uri: 'u', name: null, image: null },
    })
    expect(attachmentOf({ type: 'image', mimeType: 7 }, 4)).toMatchObject({ mime_type: null, uri: null, image: null })
    expect([attachmentOf(null, 1), attachmentOf({}, 1), attachmentOf({ type: 'text' }, 1)]).toEqual([null, null, null])
  })

  it('as tokens, however they are spelled', () => {
    const own = { inputTokens: 1, outputTokens: 2, cachedReadTokens: 3, cachedWriteTokens: 4 }
    const snake = { input_tokens: 1, output_tokens: 2, cached_read_tokens: 3, cached_write_tokens: 4 }
    const other = { inputTokens: 1, outputTokens: 2, cacheReadTokens: 3, cacheWriteTokens: 4 }
    const api = { input_tokens: 1, output_tokens: 2, cache_read_input_tokens: 3, cache_creation_input_tokens: 4 }
    for (const usage of [own, snake, other, api])
      expect(tokensOf(usage)).toEqual({ input: 1, output: 2, cache_read: 3, cache_write: 4 })
    expect(tokensOf({ inputTokens: '1', outputTokens: Number.NaN })).toEqual({
      input: 0,
      output: 0,
      cache_read: 0,
      cache_write: 0,
    })
    expect([tokensOf(null), tokensOf(7)]).toEqual([null, null])
  })
})

it('the part of a file that changed makes the whole change', () => {
  expect(changedPart('1\n2\n3\n4\n5\n6\n7\n8\n9', '1\n2\n3\n4\nX\n6\n7\n8\n9')).toEqual({
    old_text: '2\n3\n4\n5\n6\n7\n8',
    new_text: '2\n3\n4\nX\n6\n7\n8',
  })
  const file = fc.array(fc.constantFrom('a', 'b', ''), { minLength: 1, maxLength: 14 }).map((lines) => lines.join('\n'))
  fc.assert(
    fc.property(file, file, (before, after) => {
      const { old_text, new_text } = changedPart(before, after)
      expect(before).toContain(old_text)
      expect(after).toContain(new_text)
      const [outside, inside] = [
        before.split('\n').length - old_text.split('\n').length,
        after.split('\n').length - new_text.split('\n').length,
      ]
      // What is left out of both is the same.
      expect(outside).toBe(inside)
    }),
  )
})

const fold = (...events: Array<[type: EventType, content: object, turn?: string]>) => {
  const transcript = emptyTranscript()
  for (const [index, [type, content, turn_id = 't1']] of events.entries())
    foldEvent(
      transcript,
      toSessionEvent('s', { sequence: index + 1, turn_id, type, timestamp: 't', content: JSON.stringify(content) }),
    )
  return transcript.messages
}
const chunk = (value: string) => ({ content: { type: 'text', text: value } })

describe('the transcript has', () => {
  it.each<[string, Parameters<typeof fold>, object[]]>([
    [
      'thoughts beside words',
      [
        ['thought', chunk('hm')],
        ['agent_message', chunk('so')],
      ],
      [
        { role: 'thought', text: 'hm' },
        { role: 'assistant', text: 'so' },
      ],
    ],
    [
      'nothing of an empty chunk',
      [
        ['agent_message', chunk('')],
        ['agent_message', {}],
      ],
      [],
    ],
    [
      'a sentence over a plan',
      [
        ['agent_message', chunk('a')],
        ['plan', { entries: [] }],
        ['agent_message', chunk('b')],
      ],
      [{ text: 'ab', attachments: [] }, { role: 'plan' }],
    ],
    [
      'the words of another turn by themselves',
      [
        ['agent_message', chunk('a')],
        ['agent_message', chunk('b'), 't2'],
      ],
      [{ text: 'a' }, { text: 'b' }],
    ],
    [
      'the end of a turn',
      [['done', { stop_reason: 'end_turn', usage: null, canceled_by: 'user' }]],
      [{ role: 'turn_end', text: '', canceled_by: 'user', tokens: null }],
    ],
    [
      'an error and its kind',
      [['error', { error: 'no', failure: { kind: 'timeout' } }]],
      [{ role: 'error', text: 'no', failure_kind: 'timeout' }],
    ],
    ['an error without one', [['error', { error: 'no', failure: null }]], [{ failure_kind: null }]],
    [
      'a start',
      [['session_started', { started_with: 'resume' }]],
      [{ role: 'notice', kind: 'session_started', text: 'started again, with its conversation' }],
    ],
    ['a start of before', [['session_started', {}]], [{ text: 'started' }]],
    [
      'a stop',
      [['session_stopped', { stop_reason: 'error', stop_detail: 'x' }]],
      [{ kind: 'session_stopped', text: 'stopped: error: x' }],
    ],
    [
      'a stop without words',
      [['session_stopped', { stop_reason: 'completed', stop_detail: null }]],
      [{ text: 'stopped: completed' }],
    ],
    ['a warning', [['runtime_warning', { detail: 'silent' }]], [{ kind: 'runtime_warning', text: 'silent' }]],
    [
      'what was lost',
      [['store_salvaged', { lost_events: 3 }]],
      [{ kind: 'store_salvaged', text: '3 events of the history were lost' }],
    ],
    [
      'nothing of what it does not know',
      [
        ['runtime_progress', { detail: 'x' }],
        ['of_tomorrow' as EventType, {}],
      ],
      [],
    ],
    [
      'a tool by its id',
      [['tool_call', { toolCallId: 'c' }]],
      [{ role: 'tool', text: 'c', kind: 'other', status: 'pending', output: '' }],
    ],
    ['a tool without one', [['tool_call', { title: 'ls' }]], [{ tool_call_id: 'call-1', text: 'ls' }]],
    [
      'a tool with what it is called now',
      [
        ['tool_call', { toolCallId: 'c', title: 'a' }],
        ['tool_call', { toolCallId: 'c', title: 'b', status: 'in_progress' }],
        ['tool_result', { toolCallId: 'c', title: '', status: 'failed' }],
      ],
      [{ text: 'b', status: 'failed' }],
    ],
    [
      'a tool whose state makes no sense',
      [
        ['tool_call', { toolCallId: 'c', status: 'in_progress' }],
        ['tool_call', { toolCallId: 'c', status: 'odd', title: 7 }],
      ],
      [{ status: 'in_progress', text: 'c' }],
    ],
    [
      'a plan that was replaced',
      [
        ['plan', { entries: [{ content: 'a' }] }],
        ['plan', { entries: [null, {}, { content: 'b', priority: 'low', status: 'completed' }] }],
      ],
      [
        {
          entries: [
            { content: '', priority: 'medium', status: 'pending' },
            { content: 'b', priority: 'low', status: 'completed' },
          ],
        },
      ],
    ],
    [
      'a question that was refused',
      [
        ['permission', { request_id: 'r', title: 'x', decision: null }],
        ['permission', { request_id: 'r', title: 'x', decision: 'reject-once' }],
      ],
      [{ status: 'rejected', decided_by: null, kind: 'other', options: [], expires_at: null }],
    ],
    [
      'a question that was dropped',
      [['permission', { request_id: 'r', title: 'x', decision: 'cancelled', decided_by: 'user' }]],
      [{ status: 'cancelled', decided_by: 'user' }],
    ],
    [
      'an answer of the policy',
      [['permission', { title: '', decision: 'allow-once' }]],
      [{ request_id: 'policy-1', text: 'policy-1', status: 'allowed' }],
    ],
    [
      'a question with its change',
      [
        [
          'permission',
          {
            request_id: 'r',
            title: 'x',
            decision: null,
            kind: 'edit',
            expires_at: 't9',
            tool_call: { toolCallId: 'c', content: [{ type: 'diff', path: 'a', newText: 'b' }] },
          },
        ],
      ],
      [{ kind: 'edit', expires_at: 't9', tool_call_id: 'c', diffs: [{ path: 'a', old_text: null, new_text: 'b' }] }],
    ],
    [
      'usage as far as it is known',
      [
        ['usage', { used: 5, size: 9, cost: { amount: 1 } }],
        ['usage', { used: 'x', cost: { amount: 'x' } }],
      ],
      [{ role: 'usage', text: '', used: 5, size: 9, cost: { amount: 1, currency: 'USD' } }],
    ],
  ])('%s', (_what, events, messages) => {
    expect(fold(...events)).toHaveLength(messages.length)
    expect(fold(...events)).toMatchObject(messages)
  })
})
